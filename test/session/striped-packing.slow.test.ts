import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { makeImageParts } from "../../src/session/batch/image-tensors.js";
import { planExport } from "../../src/session/batch/plan.js";
import { Session } from "../../src/session/session.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { batchOptions, isPackable, manySessions } from "../helpers/export-model/arbitraries.js";
import { recordCalls } from "../helpers/export-model/record.js";

describe("a batch that is packed in stripes", () => {
  it("has the same bytes as one that is packed at once, and written bytes do not change", async () => {
    let striped = 0;
    const property = fc.asyncProperty(
      manySessions({ undelivered: false }),
      batchOptions.filter(isPackable),
      fc.integer({ min: 1, max: 5000 }),
      async ({ exported }, options, stripe) => {
        const sessions = exported.map(({ sessionId, turns, sessionReward }) => {
          const session = new Session({ id: sessionId, taskId: "task" });
          recordCalls(session, turns, { sessionReward, hasChannels: turns.length % 2 === 0 });
          return session;
        });
        const parsed = batchOptionsSchema.parse({ ...options, onMismatch: "split" });
        const planned = runAtOnce(planExport(sessions, parsed));
        const { tensors } = runAtOnce(makeImageParts(planned, parsed));
        const whole = await planned.native.pack({ rows: "[]" }, { tensors });
        const parts = await planned.native.pack({ rows: "[]" }, { tensors, stripes: { from: 0, first: stripe } });
        const expectWritten = (least: number) => {
          const { writtenBytes, byteLength } = parts;
          expect(writtenBytes).toBeGreaterThanOrEqual(Math.min(least, byteLength));
          expect(Buffer.compare(parts.part(0, writtenBytes), whole.part(0, writtenBytes))).toBe(0);
        };
        expectWritten(stripe);
        while (parts.writtenBytes < parts.byteLength) {
          const least = parts.writtenBytes + stripe;
          await parts.writeStripe(stripe);
          expectWritten(least);
          striped++;
        }
      },
    );
    await fc.assert(property, { numRuns: 300 });
    expect(striped).toBeGreaterThan(30);
  }, 120_000);
});
