import { describe, expect, it } from "vitest";
import { LogLines } from "../../../src/cli/rollout/log-lines.js";

const log = (fields: object) => JSON.stringify({ level: "warn", time: 1, pid: 2, hostname: "a", ...fields });

describe("LogLines", () => {
  it("shows level, message, cause and fields, objects as JSON", () => {
    const lines = new LogLines();
    const fields = { server: "http://a", more: {}, reasons: ["no room", "no disk"] };
    expect(lines.add(log({ msg: "a call failed", err: { message: "no room" }, ...fields }))).toBe(
      'warning: a call failed: no room (server=http://a, reasons=["no room","no disk"])',
    );
    expect(lines.add(log({ level: "error", msg: "no room", err: { message: "no room" } }))).toBe("error: no room");
  });

  it("cuts long fields", () => {
    const shown = new LogLines().add(log({ msg: "a call failed", prompt: ["x".repeat(10_000)] })) ?? "";
    expect(shown).toMatch(/^warning: a call failed \(prompt=\["x+…\)$/);
    expect(shown.length).toBeLessThan(400);
  });

  it("shows the stack of an error, but not that of a warning", () => {
    const lines = new LogLines();
    const err = { message: "no room", stack: "Error: no room\n    at work (a.js:1:2)\n    at b\u001b.js:3:4" };
    expect(lines.add(log({ level: "error", msg: "a call failed", err }))).toBe(
      "error: a call failed: no room\n    at work (a.js:1:2)\n    at b .js:3:4",
    );
    expect(lines.add(log({ level: "fatal", msg: "stopping", err }))).toContain("\n    at work (a.js:1:2)");
    expect(lines.add(log({ level: "warn", msg: "a call failed", err }))).toBe("warning: a call failed: no room");
  });

  it("shows lines once, with a count, if only request and session differ", () => {
    const lines = new LogLines();
    const add = (reqId: number) => lines.add(log({ msg: "slow", server: "a", reqId, sessionId: `s-${reqId}` }));
    expect([1, 2, 3].map(add)).toEqual(["warning: slow (server=a, reqId=1, sessionId=s-1)", undefined, undefined]);
    lines.add(log({ msg: "fast" }));
    expect(lines.repeated()).toEqual(["3 × warning: slow (server=a)"]);
  });

  it("counts lines separately if level, cause or another field differs", () => {
    const lines = new LogLines();
    const different = [
      { msg: "not ready", reasons: ["a is down"] },
      { msg: "not ready", reasons: ["b is down"] },
      { msg: "not ready", err: { message: "c is down" } },
      { msg: "not ready", level: "error" },
    ];
    expect(different.map((fields) => lines.add(log(fields)))).not.toContain(undefined);
    expect(lines.repeated()).toEqual([]);
  });

  it("removes control characters", () => {
    expect(new LogLines().add(log({ msg: "a\u001b[2Jb\nc" }))).toBe("warning: a [2Jb c");
  });

  it("returns lines unchanged that are not JSON log lines", () => {
    const lines = new LogLines();
    for (const line of ["plain", "{no json", '{"a": 1}']) expect(lines.add(line)).toBe(line);
  });
});
