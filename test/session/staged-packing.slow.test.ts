import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { planExport } from "../../src/session/batch/plan.js";
import { Session } from "../../src/session/session.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { batchOptions, isPackable, manySessions } from "../helpers/export-model/arbitraries.js";
import { recordCalls } from "../helpers/export-model/record.js";

describe("a batch that is packed in two parts", () => {
  it("has the same bytes as one that is packed at once, of which the first part does not change", async () => {
    let staged = 0;
    const property = fc.asyncProperty(
      manySessions({ undelivered: false }),
      batchOptions.filter(isPackable),
      async ({ exported }, options) => {
        const sessions = exported.map(({ sessionId, turns, sessionReward }) => {
          const session = new Session({ id: sessionId, taskId: "task" });
          recordCalls(session, turns, sessionReward);
          return session;
        });
        const plan = runAtOnce(
          planExport(sessions, batchOptionsSchema.parse({ ...options, onMismatch: "split" })),
        ).native;
        const whole = await plan.pack({ rows: "[]" });
        const parts = await plan.pack({ rows: "[]" }, { stagedFrom: 0 });
        const first = Buffer.from(parts.part(0, parts.writtenBytes));
        if (parts.writtenBytes < parts.byteLength) {
          await parts.complete();
          staged++;
        }
        expect(Buffer.compare(parts.bytes, whole.bytes)).toBe(0);
        expect(first.equals(Buffer.from(whole.part(0, first.length)))).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: 300 });
    expect(staged).toBeGreaterThan(30);
  }, 120_000);
});
