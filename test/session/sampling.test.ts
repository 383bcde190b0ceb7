import { describe, expect, it } from "vitest";
import { DEFAULT_SAMPLING } from "../../src/facts/recorded-sampling.js";
import { Session } from "../../src/session/session.js";
import { LocalSession, type RecordInput } from "../../src/session/trajectory-store.js";
import { turn, user } from "../helpers/turn.js";

/** The facts of a call that a session keeps, as a trainer bridge gives them. */

function record(rest: Partial<RecordInput>) {
  const session = new Session({ id: "s", taskId: "t" });
  new LocalSession(session).record({ ...turn([user("a")], [1], [2, 3]), ...rest });
  return session.interaction(0);
}

describe("sampling of a recorded call", () => {
  it("is absent if the bridge gives none", () => {
    expect(record({}).sampling).toBeUndefined();
  });

  it("defaults to temperature 1 and everything else off", () => {
    expect(record({ sampling: {} }).sampling).toEqual({ ...DEFAULT_SAMPLING, maxTokens: 2 });
  });

  it.each([
    [{ temperature: 0.7 }, { temperature: 0.7, samplingTemperature: 0.7, greedy: false }],
    [{ samplingTemperature: 0.7 }, { temperature: 0.7, samplingTemperature: 0.7, greedy: false }],
    [{ greedy: true }, { temperature: 1, samplingTemperature: 0, greedy: true }],
    [{ samplingTemperature: 0 }, { temperature: 1, samplingTemperature: 0, greedy: true }],
    [
      { samplingTemperature: 0.7, logprobs: "raw" },
      { temperature: 1, samplingTemperature: 0.7, greedy: false },
    ],
  ] as const)("derives missing fields of %o: %o", (sampling, recorded) => {
    expect(record({ sampling }).sampling).toMatchObject(recorded);
  });

  it.each([
    [{ sampling: { temperature: 0 } }, "sampling.temperature"],
    [{ sampling: { topP: 1.5 } }, "sampling.topP"],
    [{ sampling: { logprobs: "some" } }, "sampling.logprobs"],
    [{ sampling: { top_p: 1 } }, "sampling.top_p"],
    [{ sampling: { greedy: true, samplingTemperature: 1 } }, "sampling.greedy"],
    [{ model: 7 }, "model"],
    [{ startedAt: -1 }, "startedAt"],
  ])("refuses %o with the field %s", (rest, param) => {
    expect(() => record(rest as object)).toThrow(expect.objectContaining({ code: "invalid_value", param }) as Error);
  });
});

describe("other facts of a recorded call", () => {
  it("include the requested model and the time when the call began", () => {
    expect(record({ model: "policy", startedAt: 17 })).toMatchObject({ requestedModel: "policy", startedAt: 17 });
  });

  it("cut a model's name to 256 bytes, between characters", () => {
    expect(record({ model: "ü".repeat(300) }).requestedModel).toBe("ü".repeat(128));
    expect(record({ model: `a${"ü".repeat(300)}` }).requestedModel).toBe(`a${"ü".repeat(127)}`);
  });
});
