import { describe, expect, it } from "vitest";
import { packBatch } from "../../src/session/batch/batch.js";
import { type BatchOptions, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { Session } from "../../src/session/session.js";
import { LocalSession } from "../../src/session/trajectory-store.js";

const MOST_BYTES = 5120;
const TURNS_OF_ONE = 16;

interface Recorded {
  readonly sessions: Session[];
  /** The distinct texts of the calls, which a header may list. */
  readonly texts: readonly string[];
}

/** Sessions of calls with a few models and finish reasons, half of the sessions with a reward. */
function recordRows(rows: number): Recorded {
  const texts = new Set<string>();
  const sessions = Array.from({ length: rows / TURNS_OF_ONE }, (_, number) => {
    const session = new Session({ id: `math-a1b2c3-${number}`, taskId: "math" });
    const stored = new LocalSession(session);
    for (let turn = 0; turn < TURNS_OF_ONE; turn++) {
      const model = `model-${number % 7}`;
      const finishReason = `reason "${turn % 3}"`;
      for (const text of [model, finishReason]) texts.add(text);
      stored.record({
        messages: [{ role: "user", content: `question ${turn}` }],
        output: { role: "assistant", content: "answer" },
        promptIds: Int32Array.of(number, turn),
        outputIds: Int32Array.of(1),
        logprobs: Float32Array.of(-1),
        versions: 0,
        finishReason,
        model,
      });
    }
    if (number % 2 === 0) stored.setReward(1);
    return session;
  });
  return { sessions, texts: [...texts] };
}

/** Returns the length of the header in bytes, and its metadata. */
async function readBatchHeader(sessions: readonly Session[], options: BatchOptions) {
  const batch = await packBatch(sessions, options);
  const bytes = Buffer.from(batch.bytes);
  const length = Number(bytes.readBigUInt64LE(0));
  batch.release();
  const { __metadata__ } = JSON.parse(bytes.toString("utf8", 8, 8 + length)) as {
    __metadata__: Record<string, string>;
  };
  return { length, metadata: __metadata__ };
}

/** Returns the bytes of a text in JSON within a JSON string, with its quotes and a comma. */
const countBytes = (text: string) => Buffer.byteLength(JSON.stringify(JSON.stringify(text))) - 1;

describe("the header of a batch", { timeout: 120_000 }, () => {
  it.each([2000, 20_000])(
    "grows by at most 5 KiB, its texts and its episodes with row tensors, for %i rows",
    async (rows) => {
      const { sessions, texts } = recordRows(rows);
      for (const layout of ["padded", "packed", "tree"] as const) {
        for (const style of ["individual", "concat"] as const) {
          const options = (rowTensors: boolean) => batchOptionsSchema.parse({ layout, style, rowTensors });
          const without = await readBatchHeader(sessions, options(false));
          const { length, metadata } = await readBatchHeader(sessions, options(true));
          const roots = JSON.parse(metadata["unrewarded_roots"] ?? "") as { first: readonly Record<string, string>[] };
          const named = roots.first.flatMap((root) => Object.entries(root).flat());
          const allowed = [...texts, ...named, metadata["episodes"] ?? ""].reduce(
            (sum, text) => sum + countBytes(text),
            MOST_BYTES,
          );
          expect(length - without.length).toBeGreaterThan(0);
          expect(length - without.length).toBeLessThanOrEqual(allowed);
        }
      }
    },
  );

  it("has no entries about row tensors if rowTensors is false", async () => {
    const { sessions } = recordRows(160);
    const { metadata } = await readBatchHeader(sessions, batchOptionsSchema.parse({ rowTensors: false }));
    expect(Object.keys(metadata)).toEqual([
      "producer",
      "layout",
      "style",
      "discount",
      "rewards_missing",
      "incomplete_calls",
      "aborted_calls",
      "rows",
    ]);
  });
});
