import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mergeParts, partLayout } from "../../src/gateway/merge/merge-parts.js";
import { readPart } from "../../src/gateway/merge/part.js";
import type { ErrorCode } from "../../src/http/errors.js";
import { packShards } from "../../src/session/batch/batch.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { Session } from "../../src/session/session.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { batchOptions, manySessions } from "../helpers/export-model/arbitraries.js";
import type { ModelledSession } from "../helpers/export-model/modelled-session.js";
import { recordCalls } from "../helpers/export-model/record.js";

// A batch has the time of each call. The tests record the same calls several times and compare bytes, so the clock is fixed.
beforeEach(() => void vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2026, 10, 22)));
afterEach(() => vi.restoreAllMocks());

const ORIGIN = { model: "tiny", modelDigest: "none", config: {} };

/** Returns the export of one worker with these sessions, alone or as a part; undefined if it is refused. */
async function exported(
  sessions: readonly ModelledSession[],
  options: BatchOptionsInput,
  isPart = false,
): Promise<Uint8Array | undefined> {
  const recorded = sessions.map((modelled) => {
    const { sessionId: id, taskId = id, groupId } = modelled;
    const session = new Session({ id, taskId, groupId });
    recordCalls(session, modelled.turns, modelled.sessionReward);
    for (let n = modelled.turns.length % 3; n > 0; n--) session.countAbortedCall();
    session.incompleteCalls = modelled.turns.length % 2;
    return session;
  });
  try {
    const target = { origin: ORIGIN, isPart };
    const [batch] = await packShards(recorded, batchOptionsSchema.parse(options), { shards: 1 }, target);
    const bytes = batch && Uint8Array.from(batch.bytes);
    batch?.release();
    return bytes;
  } catch {
    return undefined;
  }
}

/** Returns the same export merged from several workers, each with some of the sessions. */
async function merged(
  sessions: readonly ModelledSession[],
  options: BatchOptionsInput,
  owners: readonly number[],
): Promise<Uint8Array | undefined> {
  const { layout, padTokenId, padSide, padToMultipleOf } = batchOptionsSchema.parse(options);
  const files: Uint8Array[] = [];
  for (const owner of new Set(owners)) {
    const own = sessions.filter((_, index) => owners[index] === owner);
    const file = await exported(own, { ...options, layout: partLayout(layout) }, true);
    if (!file) return undefined;
    files.push(file);
  }
  const batch = mergeParts(
    files.map(readPart),
    sessions.map(({ sessionId }) => sessionId),
    { layout, pad_token_id: padTokenId, pad_side: padSide, pad_to_multiple_of: padToMultipleOf },
  );
  const bytes = Buffer.concat([...batch.chunks()]);
  expect(bytes.length).toBe(batch.byteLength);
  return bytes;
}

describe("parts of several workers", () => {
  it("become byte for byte the batch of one worker that has all sessions", async () => {
    const owners = fc.array(fc.nat(2), { minLength: 3, maxLength: 3 });
    const property = fc.asyncProperty(
      manySessions({ undelivered: true }),
      batchOptions,
      owners,
      async ({ exported: sessions }, options, owned) => {
        const whole = await exported(sessions, options);
        const parts = await merged(sessions, options, owned.slice(0, sessions.length));
        expect(parts === undefined).toBe(whole === undefined);
        expect(whole && parts ? Buffer.compare(parts, whole) : 0).toBe(0);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  }, 120_000);

  it("become one batch if rows are longer than a chunk", async () => {
    const store = new TrajectoryStore();
    const make = (target: TrajectoryStore, sessionId: string, tokens: number) => {
      const session = target.createSession({ sessionId });
      const outputIds = Int32Array.from({ length: tokens }, (_, index) => index);
      session.record({
        messages: [{ role: "user", content: sessionId }],
        output: { role: "assistant", content: "yes" },
        promptIds: Int32Array.of(1),
        outputIds,
        logprobs: new Float32Array(tokens).fill(-1),
        versions: 3,
        interactionId: sessionId,
        finishReason: "stop",
      });
      session.end();
    };
    const sizes = { a: 100_000, b: 7, c: 200_000 };
    const other = new TrajectoryStore();
    for (const [id, tokens] of Object.entries(sizes)) {
      make(store, id, tokens);
      make(other, id, tokens);
    }
    const ids = ["c", "a", "b"];
    for (const layout of ["padded", "packed", "tree"] as const) {
      using whole = await store.exportBatch(ids, { layout, release: false });
      using first = await other.exportBatch(["c", "b"], { layout: partLayout(layout), release: false });
      using second = await other.exportBatch(["a"], { layout: partLayout(layout), release: false });
      const batch = mergeParts([readPart(first.bytes), readPart(second.bytes)], ids, {
        layout,
        pad_token_id: 0,
        pad_side: "right",
        pad_to_multiple_of: 1,
      });
      expect(Buffer.compare(Buffer.concat([...batch.chunks()]), whole.bytes)).toBe(0);
    }
    store.close();
    other.close();
  });
});

describe("an invalid part", () => {
  it.each([
    ["nothing", new Uint8Array(0)],
    ["a length beyond its end", Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0, 0x7b)],
    ["a header that is not JSON", Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x7b)],
    ["a header without rows", Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x7d)],
  ])("is refused: %s", (_, bytes) => {
    expect(() => readPart(bytes)).toThrow(
      expect.objectContaining({ code: "invalid_worker_reply" satisfies ErrorCode }) as Error,
    );
  });
});
