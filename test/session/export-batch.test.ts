import { existsSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/session/batch.js";
import type { BatchOptionsInput } from "../../src/session/batch-options.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { batchOptions, manySessions } from "../support/export-model/arbitraries.js";
import { modelBatch } from "../support/export-model/model-batch.js";
import type { ModelledSession } from "../support/export-model/modelled-session.js";
import { recordInto } from "../support/export-model/record.js";
import { modelRefusal } from "../support/export-model/refusal.js";
import type { ModelBatch } from "../support/export-model/tensors.js";
import { readSafetensors } from "../support/safetensors.js";
import { sharedDirectory } from "../support/shared-directory.js";

/** The views and the file both hold what the model holds. */
function expectBatch(batch: Batch, expected: ModelBatch): void {
  expect(batch.rows).toEqual(expected.rows);
  const views = Object.entries(batch.tensors).map(([name, { dtype, shape, data }]) => {
    expect(data.buffer).toBe(batch.bytes.buffer);
    return [name, { dtype, shape, data: [...data] }];
  });
  expect(Object.fromEntries(views)).toEqual(expected.tensors);
  expect(readSafetensors(batch.bytes).tensors).toEqual(expected.tensors);
}

const byDefault = { style: "individual", discount: 1, layout: "padded" } as const;

function expectMetadata(batch: Batch, sessions: readonly ModelledSession[], options: BatchOptionsInput): void {
  const { rows, rewards_missing, ...rest } = readSafetensors(batch.bytes).metadata;
  expect(JSON.parse(rows ?? "")).toEqual(
    batch.rows.map((row) => ({
      session_id: row.sessionId,
      interaction_id: row.interactionId,
      length: row.length,
    })),
  );
  const unrewarded = sessions.filter(({ turns }) => turns.every((turn) => turn.reward === undefined));
  expect(JSON.parse(rewards_missing ?? "")).toEqual(unrewarded.map((session) => session.sessionId));
  const { style, discount, layout } = { ...byDefault, ...options };
  expect(rest).toEqual({ producer: "rolltape", style, layout, discount: String(discount), incomplete_calls: "{}" });
}

describe("exportBatch of random sessions", () => {
  it("gives what the sessions hold when every sequence is written out, or names what refuses them", async () => {
    const store = new TrajectoryStore({ sharedMemory: { directory: sharedDirectory() } });
    const memories = fc.constantFrom("heap" as const, "shared" as const);
    const property = fc.asyncProperty(
      manySessions({ retries: false }),
      batchOptions,
      memories,
      async ({ all, exported }, options, memory) => {
        for (const session of all) recordInto(store, session);
        const ids = exported.map((session) => session.sessionId);
        const refusal = modelRefusal(exported, options);
        if (refusal) {
          await expect(store.exportBatch(ids, { ...options, memory })).rejects.toMatchObject(refusal);
        } else {
          const expected = modelBatch(exported, options);
          const kept = await store.exportBatch(ids, { ...options, memory, release: false });
          expectBatch(kept, expected);
          expectMetadata(kept, exported, options);
          expectMemory(kept, memory);
        }
        // Kept or refused, every session is there still, and in the order in which it is asked for.
        const last = await store.exportBatch(all.map((session) => session.sessionId));
        expectBatch(last, modelBatch(all, {}));
        last.release();
        for (const id of ids)
          await expect(store.exportBatch([id])).rejects.toMatchObject({ code: "session_not_found" });
      },
    );
    await fc.assert(property, { numRuns: 400 });
  });
});

/** A shared batch is a file of the same bytes, as long as it is not released. */
function expectMemory(batch: Batch, memory: "heap" | "shared"): void {
  expect(batch.memory).toBe(memory);
  const { path } = batch;
  expect(path !== undefined).toBe(memory === "shared");
  if (path !== undefined) expect(readFileSync(path).equals(batch.bytes)).toBe(true);
  const { input_ids } = batch.tensors;
  batch.release();
  expect(path !== undefined && existsSync(path)).toBe(false);
  expect(input_ids.data).toHaveLength(0);
}
