import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { AgentContext } from "../../../src/rollout/contract.js";
import { PythonAgent, type PythonAgentOptions } from "../../../src/rollout/python/python-agent.js";
import { readStandardError } from "../../../src/rollout/subproc/standard-error.js";
import { until } from "../../helpers/until.js";
import { isAlive } from "../subproc/context.js";

const AGENTS = fileURLToPath(new URL("./agents", import.meta.url));
const ADDRESS = "http://127.0.0.1:9";

/** What an agent of `obedient.py` is told to do. */
type Order = Readonly<Record<string, unknown>>;

let written: string;

// The output of agents is forwarded to this process's standard error.
beforeEach(() => {
  written = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

/** Creates an agent that is closed when the test ends. */
function python<Data = Order>(name: string, options: PythonAgentOptions = {}): PythonAgent<Data> {
  const agent = new PythonAgent<Data>(name, { directory: AGENTS, maxWorkers: 1, ...options });
  onTestFinished(() => agent.close());
  return agent;
}

const sync = (options?: PythonAgentOptions) => python("obedient.py:solve", options);
const together = (options?: PythonAgentOptions) => python("obedient.py:solve_async", options);

/** Returns the context of an episode. No proxy listens at its address. */
function context(fields: Partial<AgentContext> = {}): AgentContext {
  const signal = new AbortController().signal;
  return { base_url: ADDRESS, api_key: "sk-of-this-task", http_client: fetch, signal, ...fields };
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-python-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "file");
}

const text = (pattern: RegExp) => expect.stringMatching(pattern) as string;

describe("the forms of a Python agent", () => {
  it("may be a function, which is told its address, key, task and group", async () => {
    const agent = python<unknown[]>("obedient.py:contextual");
    const told = [ADDRESS, "sk-1", "t1", "g1"];
    expect(await agent.run(told, context({ api_key: "sk-1", task_id: "t1", group_id: "g1" }))).toBe(1);
    expect(await agent.run([ADDRESS, "sk-2", null, null], context({ api_key: "sk-2" }))).toBe(1);
  });

  it("may be a class with run(data, **extra_kwargs), which is constructed once with the keyword arguments", async () => {
    const agent = python("obedient.py:Counting", { keywordArguments: { start: 5 } });
    expect(await agent.run({}, context())).toBe(6);
    expect(await agent.run({}, context())).toBe(7);
  });

  it.each([
    ["an object with run", "obedient.py:counting", {}, 11],
    ["a function with keyword arguments", "obedient.py:keywords", {}, "sk-of-this-task".length],
    ["a function that takes only the task", "obedient.py:only_data", 4, 4],
    ["a function that returns an awaitable", "obedient.py:awaitable", { do: "reward", reward: 2 }, 2],
    ["the only agent of a file, which imports its neighbours", "alone.py", { score: 4 }, 8],
  ])("may be %s", async (_, name, task, reward) => {
    expect(await python<unknown>(name).run(task, context())).toBe(reward);
  });

  it.each([
    [
      "raises on import: with its traceback, once for all tasks",
      "broken.py:solve",
      "import_failed",
      /ModuleNotFoundError: No module named 'a_module_that_is_not_installed'\nTraceback[^]*broken\.py", line 10, in <module>[^]*in deeper/,
    ],
    ["calls sys.exit on import", "leaving.py:solve", "import_failed", /sys\.exit\('no licence'\)/],
    ["does not exist", "absent.py:solve", "import_failed", /absent\.py does not exist/],
    ["does not define the name", "obedient.py:solv", "export_not_found", /does not define solv\. It defines Odd|note/],
    ["defines several agents", "obedient.py", "invalid_workflow", /defines note, .*Name one: obedient\.py:note/],
    ["has something else under the name", "obedient.py:number", "invalid_workflow", /it is of type int/],
    ["accepts no task", "obedient.py:without_arguments", "invalid_workflow", /accepts none/],
    ["has a constructor that needs arguments", "obedient.py:Failing", "construction_failed", /missing 1 required/],
  ])("is refused if it %s", async (_, name, code, message) => {
    const agent = python(name);
    const tasks = await Promise.allSettled([agent.check(), agent.run({}, context()), agent.run({}, context())]);
    const reasons = tasks.map((task) => (task as PromiseRejectedResult).reason as Error);
    expect(reasons[0]).toMatchObject({ name: "WorkflowError", code, message: text(message) });
    // One error, so that it is reported once.
    expect(new Set(reasons).size).toBe(1);
    await expect(agent.run({}, context())).rejects.toBe(reasons[0]);
  });

  it("is refused if the process dies on import, with its standard error", async () => {
    const failed = python("dying.py:solve").check();
    await expect(failed).rejects.toMatchObject({
      code: "worker_start_failed",
      message: text(/before it had loaded the agent: status 5\.[^]*no GPU at import$/),
    });
  });

  it("is refused if Python is missing", async () => {
    const missing = sync({ python: "/nowhere/python3" }).check();
    const message = text(/^\/nowhere\/python3 could not be started: .*ENOENT\. Install Python 3\.10/);
    await expect(missing).rejects.toMatchObject({ code: "program_not_started", message });
  });
});

describe.each([
  ["synchronous", sync],
  ["asynchronous", together],
])("a Python agent that is %s", (_, create) => {
  it("returns a number or a mapping, in any numeric type", async () => {
    const agent = create();
    expect(await agent.run({ do: "reward", reward: -0.25 }, context())).toBe(-0.25);
    const rewards = { "chatcmpl-1": 1, ä: 2 };
    expect(await agent.run({ do: "reward", reward: rewards }, context())).toEqual(rewards);
    expect(await agent.run({ do: "bool" }, context())).toBe(1);
  });

  it.each([
    [{ do: "none" }, /must return a finite number, or a dict .*; received None\.$/],
    [{ do: "odd reward", kind: "nan" }, /received the number nan/],
    [{ do: "odd reward", kind: "inf" }, /received the number inf/],
    [{ do: "odd reward", kind: "object" }, /received a value of type object/],
    [{ do: "odd reward", kind: "list" }, /received a value of type list/],
    [{ do: "odd reward", kind: "text" }, /received the string '1'/],
    [{ do: "odd reward", kind: "huge" }, /received the number out of range/],
    [{ do: "reward", reward: { a: null } }, /received None for the string 'a'/],
    [{ do: "bad key" }, /received a dict with the number 1 as a key/],
  ])("is rejected for what is no reward: %j", async (order, message) => {
    const failed = create().run(order, context());
    await expect(failed).rejects.toMatchObject({ code: "invalid_reward", message: text(message) });
  });

  it("raises with class, message and traceback, and goes on", async () => {
    const agent = create();
    const pid = await agent.run({}, context());
    const failed = agent.run({ do: "raise" }, context());
    await expect(failed).rejects.toMatchObject({ name: "ValueError", message: "the tool is broken" });
    const { stack = "" } = (await failed.catch((error: unknown) => error)) as Error;
    // The traceback begins in the agent, not in the worker.
    expect(stack).toMatch(/^Traceback.*\n {2}File ".*obedient\.py", line \d+, in solve(_async)?\n/);
    expect(stack).toMatch(/in misbehave\n[^]*ValueError: the tool is broken$/);
    expect(await agent.run({}, context())).toBe(pid);
  });

  it.each([
    ["raise odd", { name: "Odd", message: "The exception cannot be described." }],
    ["raise fatal", { name: "Fatal", message: "The exception cannot be described." }],
    ["sys.exit odd", { name: "SystemExit", message: "The agent called sys.exit." }],
    ["raise long", { message: text(/^long [^]{4000,4200}$/) }],
    ["recurse", { name: "RecursionError" }],
    ["sys.exit", { name: "SystemExit", message: "The agent called sys.exit(3)." }],
  ])("survives: %s", async (order, error) => {
    const agent = create();
    const pid = await agent.run({}, context());
    const failed = (await agent.run({ do: order }, context()).catch((reason: unknown) => reason)) as Error;
    expect(failed).toMatchObject(error);
    expect(`${failed.message}${failed.stack}`.length).toBeLessThan(13_000);
    expect(failed.stack).not.toContain("\x1b");
    expect(await agent.run({}, context())).toBe(pid);
  });

  it("takes no result from a copy of the process that the agent made", async () => {
    const agent = create();
    const pid = await agent.run({}, context());
    // The copy ends when it returns. Its parent waits for that.
    expect(await agent.run({ do: "fork" }, context())).toBe(1);
    expect(await agent.run({}, context())).toBe(pid);
  });

  it("prints any amount to standard error, and cannot forge messages", async () => {
    const agent = create();
    const pid = await agent.run({}, context());
    expect(await agent.run({ do: "print", size: 5_000_000 }, context())).toBe(pid);
    await until(() => written.includes("from a child\n"));
    expect(written.match(/x/g)?.length).toBe(5_000_000);
  });

  it("receives text unchanged, and has an empty standard input", async () => {
    const agent = create();
    expect(await agent.run({ do: "unicode", text: "ä\u2028😀\n\ud800" }, context())).toBe(5);
    expect(await agent.run({ do: "stdin" }, context())).toBe(0);
    const large = "é".repeat(3_000_000);
    expect(await agent.run({ do: "reward", reward: 1, large }, context())).toBe(1);
  });

  it("has its environment and working directory restored", async () => {
    const agent = python("obedient.py:environment");
    const told = { COMPAT_BASE_URL: ADDRESS, OPENAI_BASE_URL: `${ADDRESS}/v1`, OPENAI_API_KEY: "sk-of-this-task" };
    expect(await agent.run(told, context())).toBe(1);
    expect(await agent.run({ ...told, OPENAI_API_KEY: "sk-2" }, context({ api_key: "sk-2" }))).toBe(1);
  });

  it("gets a new process if its working directory was removed", async () => {
    const folder = temporaryFile();
    mkdirSync(folder);
    const start = process.cwd();
    onTestFinished(() => process.chdir(start));
    process.chdir(folder);
    const agent = create();
    const pid = await agent.run({}, context());
    process.chdir(start);
    expect(await agent.run({ do: "remove", file: folder }, context())).toBe(pid);
    expect(await agent.run({}, context())).not.toBe(pid);
  });

  it("refuses data that is not JSON", async () => {
    const failed = create().run({ list: [1n] }, context());
    await expect(failed).rejects.toThrow("data.list[0] is a bigint");
  });
});

describe("a synchronous Python agent", () => {
  it("is reported with the standard error of the failing task only", async () => {
    const agent = sync();
    await agent.run({ do: "print", size: 10 }, context());
    const failed = await agent.run({ do: "os._exit" }, context()).catch((error: unknown) => error);
    expect(readStandardError(failed)).toBe("no GPU here");
  });
});

describe("an asynchronous Python agent", () => {
  it("runs many tasks at once in a process, and starts another one when there are more", async () => {
    const [agent, file] = [together({ maxWorkers: 3, tasksPerWorker: 20 }), temporaryFile()];
    const tasks = Array.from({ length: 60 }, () => agent.run({ do: "wait", file }, context()));
    // All sixty wait for the file, so they run at once.
    await agent.run({}, context({ signal: AbortSignal.timeout(20) })).catch(() => {});
    writeFileSync(file, "");
    const pids = await Promise.all(tasks);
    const counts = [...new Set(pids)].map((pid) => pids.filter((each) => each === pid).length);
    expect(counts).toEqual([20, 20, 20]);
  });

  it("needs one process for a few tasks", async () => {
    const agent = together({ maxWorkers: 3 });
    const pids = await Promise.all(Array.from({ length: 6 }, () => agent.run({}, context())));
    expect(new Set(pids).size).toBe(1);
  });

  it("has its task cancelled when it exceeds its time; the process and its other tasks go on", async () => {
    const agent = together({ timeoutSeconds: 1 });
    const [pid, file, go] = [await agent.run({}, context()), temporaryFile(), temporaryFile()];
    const hanging = agent.run({ do: "hang", file }, context());
    await expect(hanging).rejects.toMatchObject({ code: "agent_timeout", message: text(/^The agent was cancelled/) });
    await until(() => existsSync(file));
    writeFileSync(go, "");
    expect(await agent.run({ do: "wait", file: go }, context())).toBe(pid);
  });

  it("may be cancelled before it begins", async () => {
    const agent = together({ tasksPerWorker: 1 });
    const pid = await agent.run({}, context());
    const episode = new AbortController();
    const running = agent.run({ do: "hang" }, context({ signal: episode.signal }));
    setImmediate(() => episode.abort(new Error("given up")));
    await expect(running).rejects.toThrow("given up");
    expect(await agent.run({}, context())).toBe(pid);
  });

  it("has its process killed if it blocks the event loop beyond its time", async () => {
    const agent = new PythonAgentWithShortCancel();
    const pid = (await agent.run({}, context())) as number;
    const other = agent.run({ do: "hang" }, context());
    const episode = new AbortController();
    const file = temporaryFile();
    const blocking = agent.run({ do: "block", file }, context({ signal: episode.signal }));
    await until(() => existsSync(file));
    episode.abort(new Error("given up"));
    await expect(blocking).rejects.toThrow("given up");
    await expect(other).rejects.toMatchObject({ code: "worker_exited", message: text(/blocked the event loop/) });
    expect(isAlive(pid)).toBe(false);
    expect(await agent.run({}, context())).toBeTypeOf("number");
  });

  it("has its process replaced if a task refuses to be cancelled; its other tasks end first", async () => {
    const agent = new PythonAgentWithShortCancel();
    const [pid, file, begun] = [(await agent.run({}, context())) as number, temporaryFile(), temporaryFile()];
    const other = agent.run({ do: "wait", file }, context());
    const episode = new AbortController();
    const refusing = agent.run({ do: "refuse", file: begun }, context({ signal: episode.signal }));
    await until(() => existsSync(begun));
    episode.abort(new Error("given up"));
    await expect(refusing).rejects.toThrow("given up");
    const next = await untilOther(agent, pid);
    expect(isAlive(pid)).toBe(true);
    writeFileSync(file, "");
    expect(await other).toBe(pid);
    await until(() => !isAlive(pid));
    expect(await agent.run({}, context())).toBe(next);
  });

  it.each([
    ["exit in a task", { name: "SystemExit" }],
    ["cancel itself", { name: "CancelledError" }],
  ])("survives: %s", async (order, error) => {
    const [agent, file] = [together(), temporaryFile()];
    const other = agent.run({ do: "wait", file }, context());
    await expect(agent.run({ do: order }, context())).rejects.toMatchObject(error);
    writeFileSync(file, "");
    expect(await other).toBeTypeOf("number");
  });

  it("says which line blocks the event loop", async () => {
    const agent = together();
    const blocking = agent.run({ do: "block", file: temporaryFile() }, context());
    await until(() => /blocked the event loop .*at:\n[^]*in solve_async\n +time\.sleep\(3600\)/.test(written));
    agent.close();
    await expect(blocking).rejects.toMatchObject({ code: "pool_closed" });
  });
});

/** An asynchronous agent with two processes, whose cancelled tasks must end quickly. */
class PythonAgentWithShortCancel extends PythonAgent<Order> {
  constructor() {
    super("obedient.py:solve_async", { directory: AGENTS, maxWorkers: 2, cancelSeconds: 1 });
    onTestFinished(() => this.close());
  }
}

/** Runs tasks until one runs in another process than this one. Returns that process's id. */
async function untilOther(agent: PythonAgent<Order>, pid: number): Promise<unknown> {
  for (;;) {
    const next = await agent.run({}, context());
    if (next !== pid) return next;
  }
}
