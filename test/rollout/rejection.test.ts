import { describe, expect, it } from "vitest";
import { describeThrown, readClassName } from "../../src/rollout/class-name.js";
import { isRejectionCode, Rejection } from "../../src/rollout/rejection.js";

/** Why an episode gives no trajectory, and what its errors are called. */

describe("a rejection", () => {
  it.each([
    "agent_error",
    "agent_refused",
    "invalid_reward",
    "no_model_calls",
    "unknown_interaction",
    "episode_timeout",
    "episode_aborted",
    "start_failed",
    "export_failed",
    "group_incomplete",
    "filtered",
    "workflow_error",
    "worker_lost",
    "proxy_lost",
  ])("may have the code %s", (code) => {
    expect(isRejectionCode(code)).toBe(true);
  });

  it.each(["", "no_such_code"])("has no code %j", (code) => {
    expect(isRejectionCode(code)).toBe(false);
  });

  it("has the message of what was thrown, and is not wrapped again", () => {
    const cause = new TypeError("x");
    const rejection = Rejection.from("agent_error", cause);
    expect(rejection).toMatchObject({ code: "agent_error", message: "x", cause });
    expect(Rejection.from("workflow_error", rejection)).toBe(rejection);
    expect(Rejection.from("agent_error", 5)).toMatchObject({ message: "5", cause: 5 });
  });
});

class SolverError extends Error {}

it.each<[unknown, string, string]>([
  [new TypeError("x"), "TypeError", "TypeError: x"],
  [new SolverError("x"), "SolverError", "SolverError: x"],
  [Object.assign(new SolverError("x"), { name: "Named" }), "Named", "Named: x"],
  [Object.assign(new SolverError("x"), { name: "" }), "SolverError", "SolverError: x"],
  [new Error("x"), "Error", "x"],
  ["x", "Error", "x"],
  [{ name: "NoError", message: "y" }, "Error", "[object Object]"],
  [undefined, "Error", "undefined"],
])("the class of %o is %s", (thrown, name, text) => {
  expect([readClassName(thrown), describeThrown(thrown)]).toEqual([name, text]);
});
