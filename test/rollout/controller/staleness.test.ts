import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connectProxy } from "../../../src/rollout/connect.js";
import { RolloutController } from "../../../src/rollout/controller/controller.js";
import { StalenessControl, type StalenessLimits } from "../../../src/rollout/controller/staleness.js";
import { HeldWorkflow } from "./held-workflow.js";

const limits = fc.record({
  maxConcurrentRollouts: fc.integer({ min: 1, max: 6 }),
  maxStaleness: fc.integer({ min: 0, max: 3 }),
  consumerBatchSize: fc.integer({ min: 1, max: 4 }),
});
const step = fc.constantFrom("start", "accept", "reject", "version");

describe("StalenessControl", () => {
  it("computes free slots by its formula after any sequence of events", () => {
    fc.assert(
      fc.property(limits, fc.nat({ max: 5 }), fc.array(step, { maxLength: 60 }), (given, first, steps) => {
        const control = new StalenessControl(given, first);
        let [running, accepted, version] = [0, first * given.consumerBatchSize, first];
        for (const each of steps) {
          if (each === "start" && control.freeSlots > 0) {
            control.start();
            running++;
          } else if (each === "version") control.setVersion(++version);
          else if (each !== "start" && running > 0) {
            control.end(each === "accept" ? "accepted" : "rejected");
            running--;
            if (each === "accept") accepted++;
          }
          const ahead = (given.maxStaleness + version + 1) * given.consumerBatchSize - (accepted + running);
          expect(control.freeSlots).toBe(Math.min(given.maxConcurrentRollouts - running, ahead));
        }
      }),
    );
  });

  it("starts at a version as if the batches of earlier versions had been consumed", () => {
    const control = new StalenessControl({ maxConcurrentRollouts: 100, maxStaleness: 1, consumerBatchSize: 4 }, 7);
    expect(control).toMatchObject({ version: 7, accepted: 28, freeSlots: 8 });
  });

  it.each([
    ["maxConcurrentRollouts", { maxConcurrentRollouts: 0 }],
    ["maxStaleness", { maxStaleness: -1 }],
    ["consumerBatchSize", { consumerBatchSize: 1.5 }],
  ])("refuses an invalid %s", (name, wrong) => {
    const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1, ...wrong };
    expect(() => new StalenessControl(limits)).toThrow(
      expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(name) as string }),
    );
  });

  it.each([
    [{}, "maxConcurrentRollouts must be an integer of at least 1; received undefined."],
    [
      { maxConcurrentRollouts: 1, maxStaleness: "2" },
      'maxStaleness must be an integer of at least 0; received the string "2".',
    ],
    [
      undefined,
      "options must be an object with maxConcurrentRollouts, maxStaleness and consumerBatchSize; received undefined.",
    ],
  ])("names the missing or invalid limit in %j", (options, message) => {
    const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
    const make = () => new RolloutController(new HeldWorkflow(), engine, options as StalenessLimits);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_option", message }));
  });

  it.each([
    ["stays", 0, 7, 8],
    ["leaps", 10, 17, 8],
  ])("lets as many start after a batch if the version %s", (_, versions, version, free) => {
    const control = new StalenessControl({ maxConcurrentRollouts: 100, maxStaleness: 1, consumerBatchSize: 4 }, 7);
    for (let rollout = 0; rollout < 4; rollout++) {
      control.start();
      control.end("accepted");
    }
    expect(control.freeSlots).toBe(4);
    control.noteStep(versions);
    control.setVersion(version);
    expect(control.freeSlots).toBe(free);
  });

  it("refuses a version below the current one", () => {
    const control = new StalenessControl({ maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 }, 3);
    control.setVersion(3);
    expect(() => control.setVersion(2)).toThrow(expect.objectContaining({ code: "version_went_back" }));
  });
});
