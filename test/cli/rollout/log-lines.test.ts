import { describe, expect, it } from "vitest";
import { LogLines } from "../../../src/cli/rollout/log-lines.js";

const log = (fields: object) => JSON.stringify({ level: 40, time: 1, pid: 2, hostname: "a", ...fields });

describe("log lines for people", () => {
  it("show level, message, cause and the fields that are plain", () => {
    const lines = new LogLines();
    expect(lines.add(log({ msg: "a call failed", err: { message: "no room" }, server: "http://a", more: {} }))).toBe(
      "warning: a call failed: no room (server=http://a)",
    );
    expect(lines.add(log({ level: 50, msg: "no room", err: { message: "no room" } }))).toBe("error: no room");
  });

  it("are shown once, and counted", () => {
    const lines = new LogLines();
    expect([1, 2, 3].map((call) => lines.add(log({ msg: "slow", call })))).toEqual([
      "warning: slow (call=1)",
      undefined,
      undefined,
    ]);
    lines.add(log({ msg: "fast" }));
    expect(lines.repeated()).toEqual(["3 × warning: slow"]);
  });

  it("have no control characters of what they quote", () => {
    expect(new LogLines().add(log({ msg: "a\u001b[2Jb\nc" }))).toBe("warning: a [2Jb c");
  });

  it("stay as they are if they are not JSON of a log", () => {
    const lines = new LogLines();
    for (const line of ["plain", "{no json", '{"a": 1}']) expect(lines.add(line)).toBe(line);
  });
});
