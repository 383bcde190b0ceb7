import { describe, expect, it } from "vitest";
import { readClassName } from "../../../src/rollout/class-name.js";
import { wireResult } from "../../../src/rollout/lease/protocol.js";
import { fromWire, toWire } from "../../../src/rollout/lease/wire-result.js";
import { Rejection } from "../../../src/rollout/rejection.js";
import { SubprocError } from "../../../src/rollout/subproc/errors.js";
import { noteStandardError, readStandardError } from "../../../src/rollout/subproc/standard-error.js";

/** Sends a result as a worker does. */
const send = (result: Parameters<typeof toWire>[0]) =>
  fromWire(wireResult.parse(JSON.parse(JSON.stringify(toWire(result)))));

describe("the result of a task over the wire", () => {
  it("keeps accepted episodes with their rewards", () => {
    const rewards = new Map([
      ["__proto__", 1],
      ["b", -0.5],
    ]);
    const accepted = [{ sessionId: "s", url: "http://p", groupId: "g", interactionCount: 2, rewards }];
    expect(send({ accepted, rejected: [] })).toEqual({ accepted, rejected: [] });
  });

  it("keeps class, code, stack and cause of what an agent threw", () => {
    class SolverError extends Error {
      readonly code = "E_SOLVER";
    }
    const thrown = new SolverError("no solution", { cause: new TypeError("x is undefined") });
    noteStandardError(thrown, "printed");
    const reason = Rejection.from("agent_error", thrown);
    const [rejected] = send({ accepted: [], rejected: [{ sessionId: "s", reason }] }).rejected;
    expect(rejected).toMatchObject({ sessionId: "s", reason: { code: "agent_error", message: "no solution" } });
    const { cause } = rejected?.reason ?? {};
    expect(readClassName(cause)).toBe("SolverError");
    expect(cause).toMatchObject({
      code: "E_SOLVER",
      stack: thrown.stack,
      cause: { message: "TypeError: x is undefined" },
    });
    expect(readStandardError(cause)).toBe("printed");
  });

  it("keeps errors of processes recognizable", () => {
    const thrown = new SubprocError("worker_exited", "it ended");
    const reason = Rejection.from("agent_error", thrown);
    const [rejected] = send({ accepted: [], rejected: [{ reason }] }).rejected;
    expect(rejected?.reason.cause).toBeInstanceOf(SubprocError);
    expect(rejected?.reason.cause).toMatchObject({ code: "worker_exited", message: "it ended" });
  });

  it("keeps a rejection without a cause, and one with a code of a newer version", () => {
    const reason = new Rejection("no_model_calls", "none");
    expect(send({ accepted: [], rejected: [{ reason }] }).rejected[0]?.reason.cause).toBeUndefined();
    const wire = toWire({ accepted: [], rejected: [{ reason }] });
    const newer = { ...wire, rejected: wire.rejected.map((each) => ({ ...each, code: "later" })) };
    expect(fromWire(newer).rejected[0]?.reason).toMatchObject({ code: "workflow_error", message: "none" });
  });
});
