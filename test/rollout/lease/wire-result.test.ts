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

  it("is this JSON", () => {
    const episode = { sessionId: "s", url: "http://p", interactionCount: 2, rewards: new Map([["a", 1]]) };
    const reason = Rejection.from("agent_error", "a text");
    expect(
      toWire({
        accepted: [episode],
        rejected: [{ sessionId: "t", groupId: "g", reason }, { reason: new Rejection("filtered", "no") }],
      }),
    ).toEqual({
      accepted: [{ session_id: "s", url: "http://p", group_id: null, interaction_count: 2, rewards: [["a", 1]] }],
      rejected: [
        {
          session_id: "t",
          group_id: "g",
          code: "agent_error",
          message: "a text",
          error: {
            class: "Error",
            message: "a text",
            code: null,
            stack: null,
            cause: null,
            standard_error: null,
            subprocess: false,
          },
        },
        { session_id: null, group_id: null, code: "filtered", message: "no", error: null },
      ],
    });
  });

  it("has no properties that the error did not have, or that are no texts", () => {
    const thrown = Object.assign(new Error("no", { cause: "a text" }), { code: 5, stack: 6 });
    const [rejected] = send({ accepted: [], rejected: [{ reason: Rejection.from("agent_error", thrown) }] }).rejected;
    expect(rejected).toEqual({ sessionId: undefined, groupId: undefined, reason: expect.any(Rejection) as Rejection });
    const cause = rejected?.reason.cause as Error;
    expect(cause).toBeInstanceOf(Error);
    expect([Object.keys(cause), cause.cause, Object.hasOwn(cause, "cause"), cause.name]).toEqual([
      [],
      undefined,
      false,
      "Error",
    ]);
    expect(readStandardError(cause)).toBe("");
    const subprocess = { ...toWire({ accepted: [], rejected: [] }) };
    const [wire] = toWire({
      accepted: [],
      rejected: [{ reason: Rejection.from("agent_error", new SubprocError("pool_closed", "closed")) }],
    }).rejected;
    if (!wire?.error) throw new Error("no error");
    const later = fromWire({ ...subprocess, rejected: [{ ...wire, error: { ...wire.error, code: "later" } }] });
    expect(later.rejected[0]?.reason.cause).not.toBeInstanceOf(SubprocError);
    expect(later.rejected[0]?.reason.cause).toMatchObject({ name: "SubprocError", code: "later" });
  });

  it("has texts of up to 65536 characters", () => {
    const read = (length: number) =>
      toWire({ accepted: [], rejected: [{ reason: new Rejection("agent_error", "x".repeat(length)) }] });
    expect(read(65_536).rejected[0]?.message).toBe("x".repeat(65_536));
    expect(read(65_537).rejected[0]?.message).toBe(`${"x".repeat(65_536)}…`);
  });
});
