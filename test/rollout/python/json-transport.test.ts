import type { ChildProcess } from "node:child_process";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { createPythonEnvironment } from "../../../src/rollout/python/find-python.js";
import { createJsonTransport } from "../../../src/rollout/python/json-transport.js";
import type { ProcessMessage } from "../../../src/rollout/subproc/agent-process.js";

const agent = { file: "/a/agent.py", name: "solve" };
const transport = createJsonTransport({ python: "/nowhere/python", agent, keywordArguments: { depth: 2 } });

/** Returns what is heard of lines that a process writes. */
async function hear(...lines: string[]): Promise<(ProcessMessage | undefined)[]> {
  const child = { stdin: new PassThrough(), stdout: new PassThrough() };
  const heard: (ProcessMessage | undefined)[] = [];
  transport.listen(child as unknown as ChildProcess, (message) => heard.push(message));
  child.stdin.emit("error", new Error("broken pipe"));
  child.stdout.end(lines.map((line) => `${line}\n`).join(""));
  await expect.poll(() => heard.length).toBe(lines.length);
  return heard;
}

it("names the agent that a process loads", () => {
  const load = { type: "load", file: "/a/agent.py", name: "solve", arguments: { depth: 2 } };
  expect(transport.load).toEqual(load);
  const unnamed = createJsonTransport({ python: "p", agent: { file: "/a", name: undefined }, keywordArguments: {} });
  expect(unnamed.load).toEqual({ type: "load", file: "/a", name: null, arguments: {} });
});

it("sends each message as a line", () => {
  const child = { stdin: new PassThrough(), stdout: new PassThrough() };
  transport.send(child as unknown as ChildProcess, { type: "run", id: 1 });
  expect(String(child.stdin.read())).toBe('{"type":"run","id":1}\n');
  expect(transport.handles(child as unknown as ChildProcess)).toEqual([child, child.stdin, child.stdout]);
  expect(transport.printed(child as unknown as ChildProcess)).toEqual([]);
});

it.each<[object, object]>([
  [
    { type: "ready", is_async: true, can_resume: false, python: "3.12" },
    { type: "ready", agent: { isAsync: true, canResume: false } },
  ],
  [
    { type: "ready", is_async: false, can_resume: true, python: "3.12" },
    { type: "ready", agent: { isAsync: false, canResume: true } },
  ],
  [
    { type: "started", id: 3 },
    { type: "started", id: 3 },
  ],
  [
    { type: "cancelling", id: 3 },
    { type: "cancelling", id: 3 },
  ],
  [
    { type: "done", id: 3, value: 0.5, reusable: true },
    { type: "done", id: 3, value: 0.5, reusable: true },
  ],
  [
    { type: "done", id: 3, value: { a: 1 }, reusable: false },
    { type: "done", id: 3, value: { a: 1 }, reusable: false },
  ],
  [
    { type: "invalid", id: 3, received: "None\u001b[2J", reusable: true },
    {
      type: "failed",
      id: 3,
      reusable: true,
      error: {
        code: "invalid_reward",
        message: expect.stringMatching(
          /^The agent must return a finite number, or a dict of completion ids to finite numbers; received None\P{Cc}*\.$/u,
        ),
      },
    },
  ],
  [
    { type: "failed", id: 3, error: { name: "ValueError", message: "no", traceback: "line 1" }, reusable: true },
    { type: "failed", id: 3, reusable: true, error: { name: "ValueError", message: "no", stack: "line 1" } },
  ],
  [
    { type: "load_failed", error: { code: "import_failed", message: "no module x", traceback: "" } },
    { type: "load_failed", error: { name: "WorkflowError", code: "import_failed", message: "no module x" } },
  ],
  [
    { type: "load_failed", error: { code: "construction_failed", message: "bad depth", traceback: "line 1" } },
    {
      type: "load_failed",
      error: { code: "construction_failed", message: "The agent could not be loaded: bad depth\nline 1" },
    },
  ],
])("reads %j", async (line, message) => {
  expect(await hear(JSON.stringify(line))).toEqual([
    expect.objectContaining({ type: (message as { type: string }).type }),
  ]);
  const [heard] = await hear(JSON.stringify(line));
  expect(heard).toMatchObject(message);
});

it.each([
  "no JSON",
  "{}",
  '{"type":"ready"}',
  '{"type":"done","id":1,"value":"a","reusable":true}',
  '{"type":"started","id":0.5}',
  '{"type":"load_failed","error":{"code":"other","message":"","traceback":""}}',
])("reads no message in %s", async (line) => {
  expect(await hear(line)).toEqual([undefined]);
});

it("says which Python could not be started, and what to do", () => {
  const cause = new Error("spawn /nowhere/python ENOENT");
  expect(transport.notStarted?.(cause)).toMatchObject({
    code: "program_not_started",
    message:
      "/nowhere/python could not be started: spawn /nowhere/python ENOENT. Install Python 3.10 or newer, or set rollout.agent.python.",
    cause,
  });
});

it.each([
  [undefined, /python\/src$/],
  ["", /python\/src$/],
  ["/mine:/other", /python\/src:\/mine:\/other$/],
])("finds its own package, and those of PYTHONPATH %j", (path, found) => {
  vi.stubEnv("PYTHONPATH", path);
  vi.stubEnv("OPENAI_API_KEY", "secret");
  const environment = createPythonEnvironment();
  vi.unstubAllEnvs();
  expect(environment["PYTHONPATH"]).toMatch(found);
  expect(environment).not.toHaveProperty("OPENAI_API_KEY");
});
