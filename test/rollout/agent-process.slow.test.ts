import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { AgentContext } from "../../src/rollout/contract.js";
import { PythonAgent } from "../../src/rollout/python/python-agent.js";
import { SubprocAgent } from "../../src/rollout/subproc/subproc-agent.js";
import { until } from "../helpers/until.js";
import { AGENTS, context, isAlive, pool } from "./subproc/context.js";

interface Order {
  readonly do?: string;
  readonly file?: string;
}
interface Limits {
  readonly maxWorkers?: number;
  readonly timeoutSeconds?: number;
}
interface Created {
  readonly run: (order: Order, told: AgentContext) => Promise<unknown>;
  readonly close: () => void;
}

function fork(limits: Limits = {}): Created {
  const processes = pool(limits);
  const agent = new SubprocAgent<Order>(processes, "./local.ts#obedient", { directory: AGENTS });
  return { run: (order, told) => agent.run(order, told), close: () => processes.close() };
}

function python(name: string, limits: Limits = {}): Created {
  const directory = join(AGENTS, "../../python/agents");
  const agent = new PythonAgent<Order>(`obedient.py:${name}`, {
    directory,
    maxWorkers: 1,
    tasksPerWorker: 1,
    ...limits,
  });
  onTestFinished(() => agent.close());
  return agent;
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-process-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "file");
}

// The output of agents is forwarded to this process's standard error.
beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));
afterEach(() => vi.restoreAllMocks());

const kinds = [
  ["of Node", fork],
  ["of a synchronous Python agent", (limits?: Limits) => python("solve", limits)],
  ["of an asynchronous Python agent", (limits?: Limits) => python("solve_async", limits)],
] as const;

describe.each(kinds)("a process %s", (_, create) => {
  it("is not this process, and runs later tasks too", async () => {
    const agent = create();
    const first = await agent.run({ do: "pid" }, context());
    expect(first).not.toBe(process.pid);
    expect(await agent.run({ do: "pid" }, context())).toBe(first);
  });

  it("is one of at most maxWorkers", async () => {
    const agent = create({ maxWorkers: 2 });
    const pids = await Promise.all(Array.from({ length: 6 }, () => agent.run({ do: "pid" }, context())));
    expect(new Set(pids).size).toBe(2);
  });

  it("goes on after its agent raised an error", async () => {
    const agent = create();
    const pid = await agent.run({ do: "pid" }, context());
    await expect(agent.run({ do: "raise" }, context())).rejects.toMatchObject({ message: "the tool is broken" });
    expect(await agent.run({ do: "pid" }, context())).toBe(pid);
  });

  it.each([
    ["os._exit", /status 7[^]*no GPU here/],
    ["crash", /SIGSEGV/],
  ])("is replaced if it ends: %s", async (order, message) => {
    const agent = create({ maxWorkers: 2 });
    const pid = await agent.run({ do: "pid" }, context());
    const failed = agent.run({ do: order }, context());
    const other = agent.run({ do: "pid" }, context());
    const text = expect.stringMatching(message) as string;
    await expect(failed).rejects.toMatchObject({ code: "worker_exited", message: text });
    expect(await other).toBeTypeOf("number");
    await until(() => !isAlive(pid as number));
    expect(await agent.run({ do: "pid" }, context())).not.toBe(pid);
  });

  it("gives its task up when the episode is aborted; tasks after it run", async () => {
    const agent = create();
    const [episode, file] = [new AbortController(), temporaryFile()];
    const running = agent.run({ do: "parent", file }, context("sk", episode.signal));
    await until(() => existsSync(file));
    episode.abort(new Error("given up"));
    await expect(running).rejects.toThrow("given up");
    expect(await agent.run({ do: "pid" }, context())).toBeTypeOf("number");
  });

  it("is killed with its children when its pool is closed; running and waiting tasks are rejected", async () => {
    const [agent, file] = [create(), temporaryFile()];
    const tasks = [agent.run({ do: "parent", file }, context()), agent.run({ do: "pid" }, context())];
    await until(() => existsSync(file));
    agent.close();
    for (const task of tasks) await expect(task).rejects.toMatchObject({ code: "pool_closed" });
    await until(() => !isAlive(Number(readFileSync(file, "utf8"))));
  });
});

describe.each(kinds.slice(0, 2))("a process %s, which runs one task at a time,", (_, create) => {
  it("is killed with its children when a task exceeds its time, and replaced", async () => {
    const agent = create({ timeoutSeconds: 3 });
    const [pid, file] = [(await agent.run({ do: "pid" }, context())) as number, temporaryFile()];
    const failed = agent.run({ do: "parent", file }, context());
    const message = expect.stringMatching(/process was killed/) as string;
    await expect(failed).rejects.toMatchObject({ code: "agent_timeout", message });
    await until(() => !isAlive(pid) && !isAlive(Number(readFileSync(file, "utf8"))));
    expect(await agent.run({ do: "pid" }, context())).not.toBe(pid);
  });

  it("is killed with its children when its episode is aborted", async () => {
    const [agent, episode, file] = [create(), new AbortController(), temporaryFile()];
    const running = agent.run({ do: "parent", file }, context("sk", episode.signal));
    await until(() => existsSync(file));
    episode.abort(new Error("given up"));
    await expect(running).rejects.toThrow("given up");
    await until(() => !isAlive(Number(readFileSync(file, "utf8"))));
  });
});
