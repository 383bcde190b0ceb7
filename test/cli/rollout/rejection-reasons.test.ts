import { describe, expect, it } from "vitest";
import { RejectionReasons } from "../../../src/cli/rollout/rejection-reasons.js";
import { Rejection } from "../../../src/rollout/rejection.js";
import { noteStandardError, processError } from "../../../src/rollout/subproc/standard-error.js";

const groupReasons = (...errors: readonly Error[]) => {
  const reasons = new RejectionReasons();
  for (const [index, error] of errors.entries()) {
    reasons.add({ taskId: `task-${index}`, sessionId: undefined, reason: Rejection.from("agent_error", error) });
  }
  return reasons;
};

describe("the reasons of rejected episodes", () => {
  it("group errors of agents by message, whatever their process had printed", () => {
    const thrown = (time: string) => {
      const error = new Error("the tool is broken");
      noteStandardError(error, `${time} asking the tool`);
      return error;
    };
    const reasons = groupReasons(thrown("10:00:01"), thrown("10:00:02"));
    expect(reasons.describe()[0]).toBe("2 × agent_error: the tool is broken");
  });

  it("group failed processes by the last line of their standard error", () => {
    const failed = (line: string) => processError("program_failed", "python3 ended with status 1.", line);
    const reasons = groupReasons(failed("1\nKeyError: 'a'"), failed("2\nKeyError: 'a'"), failed("KeyError: 'b'"));
    expect(reasons.size).toBe(2);
    expect(reasons.describe()).toContain("2 × agent_error: python3 ended with status 1.");
  });
});
