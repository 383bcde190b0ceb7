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

  it("ignore numbers, addresses and ids in messages, but not the class and the place of the error", () => {
    const thrown = (message: string, name = "TypeError", line = 7) => {
      const stack = `${name}: ${message}\n    at run (/agents/agent.mjs:${line}:3)\n    at node:internal/process:1:1`;
      return Object.assign(new Error(message), { name, stack });
    };
    const same = [
      "no reply from 10.0.0.7:8090 after 1.25 s for <Tool at 0x7f3a> in 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      "no reply from 10.0.0.9:30001 after 3 s for <Tool at 0x66b0> in 9c5b94b1-35ad-49bb-b118-8e8fc24abf80",
      "no reply from 10.0.0.9:8090 after 10 s for <Tool at 0x66b1> in 0d0a3f11-35ad-49bb-b118-8e8fc24abf81",
    ].map((message) => thrown(message));
    const [first = ""] = same.map(({ message }) => message);
    const reasons = groupReasons(
      ...same,
      thrown(first, "RangeError"),
      thrown(first, "TypeError", 9),
      thrown("no answer"),
    );
    expect(reasons.size).toBe(4);
    expect(reasons.describe()[0]).toBe(`3 × agent_error: TypeError: ${first}`);
  });

  it("show each code, however many other reasons are more frequent", () => {
    const word = (index: number) => String(index).replace(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)));
    const reasons = groupReasons(...Array.from({ length: 240 }, (_, i) => new Error(`the tool ${word(i)} is broken`)));
    const reason = new Rejection("episode_timeout", "The episode exceeded its limit of 2 seconds.");
    reasons.add({ taskId: "late", sessionId: undefined, reason });
    const lines = reasons.describe().filter((line) => line.includes("×"));
    expect(lines).toHaveLength(9);
    expect(lines).toContain("1 × episode_timeout: The episode exceeded its limit of 2 seconds.");
    expect(lines.at(-1)).toMatch(/^\d+ × other reasons$/);
  });
});
