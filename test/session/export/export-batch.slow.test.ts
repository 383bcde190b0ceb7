import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { native } from "../../../src/native/addon.js";
import type { Batch } from "../../../src/session/batch/batch.js";
import type { BatchMemory } from "../../../src/session/batch/batch-memory.js";
import { SessionError } from "../../../src/session/errors.js";
import { type StoreExportOptions, TrajectoryStore } from "../../../src/session/trajectory-store.js";
import {
  isPackable,
  localOptions,
  type ManySessions,
  manySessions,
  step,
} from "../../helpers/export-model/arbitraries.js";
import { modelBatch } from "../../helpers/export-model/model-batch.js";
import { modelSession } from "../../helpers/export-model/modelled-session.js";
import { CLOCK, modelOutcome, type Outcome, readBatchFile } from "../../helpers/export-model/outcome.js";
import { recordInto } from "../../helpers/export-model/record.js";
import { sharedDirectory } from "../../helpers/shared-directory.js";

const store = () => new TrajectoryStore({ sharedMemory: { directory: sharedDirectory() } });
const { available: pinnable } = native.pinnedMemory();
const memories = fc.constantFrom<BatchMemory[]>("heap", "shared", ...(pinnable ? ["pinned" as const] : []));

async function runExport(
  from: TrajectoryStore,
  ids: readonly string[],
  options: StoreExportOptions,
): Promise<Outcome & { batch?: Batch }> {
  try {
    const batch = await from.exportBatch(ids, options);
    return { file: readBatchFile(batch.path === undefined ? batch.bytes : readFileSync(batch.path)), batch };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const { code, param, details = {} } = error;
    return { refusal: { code, ...(param === undefined ? {} : { param }), details } };
  }
}

const listIds = (sessions: ManySessions["all"]) => sessions.map((session) => session.sessionId);

describe("exportBatch of random sessions", () => {
  it("packs the same batch as a model that writes out every sequence, or fails with the same error", async () => {
    const from = store();
    const property = fc.asyncProperty(
      manySessions({ undelivered: false }),
      localOptions,
      memories,
      async ({ all, exported }, options, memory) => {
        for (const session of all) recordInto(from, session);
        const { batch, ...outcome } = await runExport(from, listIds(exported), { ...options, memory, release: false });
        expect(outcome).toEqual(modelOutcome(exported, options));
        batch?.release();
        // All sessions must still exist, even if the export failed.
        const { batch: last, ...rest } = await runExport(from, listIds(all), {});
        expect(rest).toEqual(modelOutcome(all, {}));
        last?.release();
      },
    );
    await fc.assert(property, { numRuns: 300 });
  }, 120_000);

  it("returns rows, and tensors that are views of one block until the batch is released", async () => {
    const from = store();
    const whole = localOptions.filter(isPackable);
    const property = fc.asyncProperty(
      manySessions({ undelivered: false }),
      whole,
      memories,
      async ({ exported }, options, memory) => {
        for (const session of exported) recordInto(from, session);
        const splitting = { ...options, onMismatch: "split" } as const;
        const batch = await from.exportBatch(listIds(exported), { ...splitting, memory });
        const { rows, tensors } = modelBatch(exported, splitting);
        expect(batch.memory).toBe(memory);
        expect(batch.rows).toEqual(rows);
        expect(readViews(batch)).toEqual(tensors);
        const views = Object.values(batch.tensors);
        expect(views.filter(({ data }) => data.buffer !== batch.bytes.buffer)).toEqual([]);
        batch.release();
        expect(views.filter(({ data }) => data.length > 0)).toEqual([]);
        for (const id of listIds(exported)) {
          await expect(from.exportBatch([id])).rejects.toMatchObject({ code: "session_not_found" });
        }
      },
    );
    await fc.assert(property, { numRuns: 200 });
  }, 120_000);
});

describe.skipIf(pinnable)("exportBatch to page-locked memory that is not available", () => {
  it("fails with the reason and keeps the sessions", async () => {
    const from = store();
    recordInto(from, modelSession("task-0", fc.sample(step, 3)));
    await expect(from.exportBatch(["task-0"], { memory: "pinned" })).rejects.toMatchObject({
      code: "ERR_PINNED_UNAVAILABLE",
      message: expect.stringContaining(native.pinnedMemory().reason ?? "") as string,
    });
    expect((await from.exportBatch(["task-0"])).memory).toBe("heap");
  });
});

function readViews(batch: Batch) {
  const views = Object.entries(batch.tensors).filter(([name]) => !CLOCK.includes(name));
  return Object.fromEntries(
    views.map(([name, { dtype, shape, data }]) => [name, { dtype, shape, data: Array.from(data, Number) }]),
  );
}
