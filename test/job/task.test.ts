import { describe, expect, it } from "vitest";
import { rejectionOf } from "../../src/job/task.js";

type Result = Parameters<typeof rejectionOf>[0];

/** The result of a task whose rejected episodes have these codes. */
const resultOf = (accepted: number, ...codes: readonly string[]) =>
  ({
    accepted: Array.from({ length: accepted }, () => ({})),
    rejected: codes.map((code) => ({ reason: { code, message: "" } })),
  }) as unknown as Result;

describe("the reason why a task was rejected", () => {
  it.each([
    ["none if an episode was accepted", resultOf(1, "agent_timeout"), undefined],
    ["none without episodes", resultOf(0), undefined],
    [
      "that of the member for which its group was dropped",
      resultOf(0, "group_incomplete", "agent_error"),
      "agent_error",
    ],
    ["the first of several", resultOf(0, "agent_timeout", "agent_error"), "agent_timeout"],
    ["that the group is incomplete, without another one", resultOf(0, "group_incomplete"), "group_incomplete"],
  ])("is %s", (_, result, code) => {
    expect(rejectionOf(result)?.code).toBe(code);
  });
});
