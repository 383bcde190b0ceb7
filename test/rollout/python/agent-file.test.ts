import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isPythonAgent, parseAgentFile } from "../../../src/rollout/python/agent-file.js";
import { findPython } from "../../../src/rollout/python/find-python.js";

describe("the name of a Python agent", () => {
  it.each([
    ["agent.py:solve", { file: "/project/agent.py", name: "solve" }],
    ["./a/my agent.py", { file: "/project/a/my agent.py", name: undefined }],
    ["/abs/agent.py:Solver", { file: "/abs/agent.py", name: "Solver" }],
    ["a.py:b/agent.py:solve", { file: "/project/a.py:b/agent.py", name: "solve" }],
  ])("%s is a file and what it defines", (text, parsed) => {
    expect(isPythonAgent(text)).toBe(true);
    expect(parseAgentFile(text, "/project")).toEqual(parsed);
  });

  it.each(["agent.js#solve", "agent.pyc", "python", "./agent.mjs", "agent.py.js"])("%s is none", (text) => {
    expect(isPythonAgent(text)).toBe(false);
  });

  it.each([
    ["agent.py#solve", /Write a colon before the name: agent\.py:solve$/],
    ["agent.py:", /must be "file\.py:name" or "file\.py"; received "agent\.py:"\.$/],
  ])("%s is refused", (text, message) => {
    expect(() => parseAgentFile(text, "/project")).toThrow(message);
  });
});

describe("the interpreter", () => {
  it("is that of the active virtual environment if it has one, else python3", () => {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-venv-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(findPython({ VIRTUAL_ENV: folder })).toBe("python3");
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin", "python"), "");
    expect(findPython({ VIRTUAL_ENV: folder })).toBe(join(folder, "bin", "python"));
    expect(findPython({})).toBe("python3");
  });
});
