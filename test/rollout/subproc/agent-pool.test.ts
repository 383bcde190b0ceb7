import { describe, expect, it, onTestFinished } from "vitest";
import { AgentPool, type AgentPoolOptions } from "../../../src/rollout/subproc/agent-pool.js";
import { findCulprit } from "../../../src/rollout/subproc/agent-process.js";
import { readStandardError } from "../../../src/rollout/subproc/standard-error.js";
import { WorkflowError } from "../../../src/rollout/workflow-error.js";
import { settled } from "../../job/held-workflow.js";
import { ShellTransport } from "./shell-transport.js";

const { signal: never } = new AbortController();

function pooled(options: Partial<AgentPoolOptions> = {}, load: object | null = { type: "load" }) {
  const transport = new ShellTransport(load ?? undefined);
  const pool = new AgentPool({ transport, maxWorkers: 1, tasksPerWorker: 1, ...options });
  onTestFinished(() => pool.close());
  const run = (name: string, signal = never) => pool.run((alone) => ({ name, alone }), signal);
  /** Returns the names of the tasks that a process was sent. */
  const names = (index: number) =>
    transport
      .at(index)
      .received.flatMap(({ name, type, id }) => (type === "load" ? [] : [name ?? `${type as string} ${id as number}`]));
  const done = (index: number, id: number, value: unknown = id, reusable = true) =>
    transport.at(index).emit({ type: "done", id, value, reusable });
  const started = (index: number, id: number) => transport.at(index).emit({ type: "started", id });
  return { transport, pool, run, names, done, started };
}

/** Starts the first process, whose agent is loaded. */
async function loaded(options: Partial<AgentPoolOptions> = {}, agent: { isAsync?: boolean; canResume?: boolean } = {}) {
  const pooling = pooled(options);
  const checked = pooling.pool.check(never);
  pooling.transport.at(0).ready(agent);
  await checked;
  return pooling;
}

describe("a pool of agent processes", () => {
  it("loads the agent in one process, however many tasks wait", async () => {
    const { transport, pool, run, names } = pooled({ maxWorkers: 3 });
    expect([pool.canResume, transport.started.length]).toEqual([false, 0]);
    const running = [run("a"), run("b")];
    await settled();
    expect(transport.started.map(({ received }) => received)).toEqual([[{ type: "load" }]]);
    transport.at(0).ready({ canResume: true });
    await expect.poll(() => names(0)).toEqual(["a"]);
    expect(pool.canResume).toBe(true);
    await expect.poll(() => transport.started.length).toBe(2);
    transport.at(1).ready();
    await expect.poll(() => names(1)).toEqual(["b"]);
    for (const index of [0, 1]) transport.at(index).emit({ type: "done", id: 0, value: index, reusable: true });
    expect(await Promise.all(running)).toEqual([0, 1]);
  });

  it("loads nothing if each task names its agent", async () => {
    const { transport, run, names, done } = pooled({}, null);
    const running = run("a");
    await expect.poll(() => transport.started.length).toBe(1);
    await expect.poll(() => transport.at(0).received).toEqual([{ name: "a", alone: true, id: 0 }]);
    expect(names(0)).toEqual(["a"]);
    done(0, 0, "x");
    expect(await running).toBe("x");
  });

  it("gives each process one task of a synchronous agent, in the order in which they came", async () => {
    const { transport, run, names, done } = await loaded();
    const running = [run("a"), run("b"), run("c")];
    await expect.poll(() => names(0)).toEqual(["a"]);
    done(0, 0);
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    expect(transport.at(0).received[1]).toMatchObject({ alone: true });
    done(0, 1);
    await expect.poll(() => names(0)).toEqual(["a", "b", "c"]);
    done(0, 2);
    expect(await Promise.all(running)).toEqual([0, 1, 2]);
    expect(transport.started).toHaveLength(1);
  });

  it("gives a process many tasks of an asynchronous agent", async () => {
    const { transport, run, names, done } = await loaded({ tasksPerWorker: 2 }, { isAsync: true });
    const running = [run("a"), run("b"), run("c")];
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    expect(transport.at(0).received[1]).toMatchObject({ alone: false });
    done(0, 1);
    await expect.poll(() => names(0)).toEqual(["a", "b", "c"]);
    for (const id of [0, 2]) done(0, id);
    expect(await Promise.all(running)).toEqual([0, 1, 2]);
  });

  it("starts another process of an asynchronous agent for the ninth task, and uses the one with the fewest", async () => {
    const { transport, run, names, done } = await loaded({ tasksPerWorker: 128, maxWorkers: 2 }, { isAsync: true });
    const running = Array.from({ length: 9 }, (_, i) => run(`${i}`));
    await expect.poll(() => names(0)).toHaveLength(8);
    await expect.poll(() => transport.started.length).toBe(2);
    transport.at(1).ready({ isAsync: true });
    await expect.poll(() => names(1)).toEqual(["8"]);
    running.push(run("9"));
    await expect.poll(() => names(1)).toEqual(["8", "9"]);
    for (let id = 0; id < 8; id++) done(0, id);
    for (let id = 0; id < 2; id++) done(1, id);
    await Promise.all(running);
    running.push(run("10"));
    await expect.poll(() => names(0)).toHaveLength(9);
    done(0, 8);
    await Promise.all(running);
  });

  it("replaces a process that cannot run another task once its other tasks have ended", async () => {
    const { transport, run, names, done } = await loaded({ tasksPerWorker: 2, maxWorkers: 2 }, { isAsync: true });
    const [a, b] = [run("a"), run("b")];
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    done(0, 0, 1, false);
    expect(await a).toBe(1);
    const c = run("c");
    await expect.poll(() => transport.started.length).toBe(2);
    expect(transport.at(0).hasEnded).toBe(false);
    transport.at(1).ready({ isAsync: true });
    await expect.poll(() => names(1)).toEqual(["c"]);
    done(0, 1, 2);
    expect(await b).toBe(2);
    await expect.poll(() => transport.at(0).hasEnded).toBe(true);
    done(1, 0, 3);
    expect(await c).toBe(3);
  });

  it("rejects running and waiting tasks when it is closed, and later ones", async () => {
    const { transport, pool, run, names } = await loaded();
    const running = [run("a"), run("b")].map((each) => each.catch((error: Error) => error));
    await expect.poll(() => names(0)).toEqual(["a"]);
    expect(pool.closed.aborted).toBe(false);
    pool.close();
    running.push(run("c").catch((error: Error) => error));
    for (const each of running) expect(await each).toMatchObject({ name: "SubprocError", code: "pool_closed" });
    await expect.poll(() => transport.at(0).hasEnded).toBe(true);
    expect(transport.started).toHaveLength(1);
  });
});

describe("a process that does not start", () => {
  it("is not tried again if its agent cannot be loaded", async () => {
    const { transport, pool, run } = pooled();
    const waiting = [pool.check(never), run("a")].map((each) => each.catch((error: Error) => error));
    const error = new WorkflowError("import_failed", "no such file");
    transport.at(0).emit({ type: "load_failed", error });
    expect(await Promise.all(waiting)).toEqual([error, error]);
    await expect(run("b")).rejects.toBe(error);
    await expect.poll(() => transport.at(0).hasEnded).toBe(true);
    expect(transport.started).toHaveLength(1);
  });

  it("is not tried again if its program is missing", async () => {
    const { transport, pool } = pooled();
    transport.program = "/nowhere/sh";
    await expect(pool.check(never)).rejects.toMatchObject({
      code: "program_not_started",
      message: expect.stringContaining("not started: spawn /nowhere/sh ENOENT") as string,
    });
    await expect(pool.check(never)).rejects.toMatchObject({ code: "program_not_started" });
    expect(transport.started).toHaveLength(1);
  });

  it("is tried once more before the agent was ever loaded, and its error ends with its standard error", async () => {
    const { transport, pool, run } = pooled();
    const failed = pool.check(never).catch((error: Error) => error);
    transport.at(0).command("exit 3");
    await expect.poll(() => transport.started.length, { timeout: 10_000 }).toBe(2);
    transport.at(1).command("echo oops >&2; exit 4");
    const error = await failed;
    expect(error).toMatchObject({
      code: "worker_start_failed",
      message: "A worker process ended before it had loaded the agent: status 4. Its standard error ends with:\noops",
    });
    expect(readStandardError(error).trim()).toBe("oops");
    await expect(run("a")).rejects.toBe(error);
  });

  it("does not fail the tasks of a pool whose agent was loaded before", async () => {
    const { transport, run, names, done } = await loaded();
    const first = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    done(0, 0, 1, false);
    await first;
    const second = run("b");
    await expect.poll(() => transport.started.length).toBe(2);
    transport.at(1).command("exit 3");
    await expect.poll(() => transport.started.length, { timeout: 10_000 }).toBe(3);
    transport.at(2).ready();
    await expect.poll(() => names(2)).toEqual(["b"]);
    done(2, 0, 2);
    expect(await second).toBe(2);
  });

  it("is one that its system gives no streams", async () => {
    const { transport, pool } = pooled();
    const spawned = transport.spawn.bind(transport);
    transport.spawn = () => Object.assign(spawned(), { stderr: null }) as never;
    const failed = pool.check(never);
    await expect(failed).rejects.toMatchObject({ code: "worker_start_failed", message: "sh: too many open files" });
    for (const { child } of transport.started) child.kill("SIGKILL");
  });
});

describe("a task whose process ends", () => {
  it("is rejected if it had started, with the standard error", async () => {
    const { transport, run, names, started } = await loaded();
    const running = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    started(0, 0);
    transport.at(0).command("echo no GPU >&2; exit 7");
    const error = await running.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "worker_exited",
      message:
        "The agent's process ended while the agent was running (status 7). Its standard error ends with:\nno GPU",
    });
    expect(findCulprit(error)).toBeUndefined();
  });

  it("goes to another process if it had not started", async () => {
    const { transport, run, names, done } = await loaded();
    const running = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    transport.at(0).command("exit 7");
    await expect.poll(() => transport.started.length).toBe(2);
    transport.at(1).ready();
    await expect.poll(() => names(1)).toEqual(["a"]);
    done(1, 0, 5);
    expect(await running).toBe(5);
  });

  it("is rejected if three processes did not take it", async () => {
    const { transport, run, names } = await loaded();
    const running = run("a").catch((error: Error) => error);
    for (const index of [0, 1, 2]) {
      await expect.poll(() => transport.started.length).toBe(index + 1);
      transport.at(index).ready();
      await expect.poll(() => names(index)).toEqual(["a"]);
      transport.at(index).command("exit 7");
    }
    expect(await running).toMatchObject({
      code: "worker_start_failed",
      message: "A worker process ended before it accepted a task: status 7.",
    });
  });

  it("has the agent's own error if the agent had failed already", async () => {
    const { transport, run, names, started } = await loaded();
    const running = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    started(0, 0);
    transport.at(0).command("echo why >&2");
    await expect
      .poll(() => (process.stderr.write as unknown as { mock: { calls: unknown[] } }).mock.calls.length)
      .toBeGreaterThan(0);
    const error = new Error("a bug");
    transport.at(0).emit({ type: "failed", id: 0, error, reusable: false });
    await expect(running).rejects.toBe(error);
    expect(readStandardError(error).trim()).toBe("why");
    await expect.poll(() => transport.at(0).hasEnded).toBe(true);
  });

  it("is rejected together with others, of which nobody knows which one ended it", async () => {
    const { transport, run, names, started } = await loaded({ tasksPerWorker: 2 }, { isAsync: true });
    const running = [run("a"), run("b")].map((each) => each.catch((error: Error) => error));
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    for (const id of [0, 1]) started(0, id);
    transport.at(0).command("exit 7");
    for (const each of running) {
      const error = await each;
      expect(error).toMatchObject({
        message: "The agent's process ended while 2 agents were running in it (status 7).",
      });
      expect(findCulprit(error)).toBe("unknown");
    }
    expect([findCulprit(null), findCulprit("text")]).toEqual([undefined, undefined]);
  });

  it("is said to be alone if its asynchronous agent ran no other one", async () => {
    const { transport, run, names, started } = await loaded({ tasksPerWorker: 2 }, { isAsync: true });
    const running = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    started(0, 0);
    transport.at(0).emit(undefined);
    const why = "it wrote something other than a message to the worker's connection";
    await expect(running).rejects.toMatchObject({
      message: `The agent's process ended while it ran no other agent (${why}).`,
    });
  });
});

describe("a task that is given up", () => {
  it("ends with its process if its agent is synchronous", async () => {
    const { transport, run, names } = await loaded();
    const abort = new AbortController();
    const running = run("a", abort.signal);
    await expect.poll(() => names(0)).toEqual(["a"]);
    abort.abort(new Error("given up"));
    await expect(running).rejects.toThrow("given up");
    await expect.poll(() => transport.at(0).hasEnded).toBe(true);
  });

  it("is cancelled if its agent is asynchronous; its process goes on", async () => {
    const { transport, run, names, done } = await loaded({ tasksPerWorker: 2 }, { isAsync: true });
    const abort = new AbortController();
    const running = [run("a", abort.signal).catch((error: Error) => error), run("b")];
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    abort.abort(new Error("given up"));
    expect(await running[0]).toEqual(new Error("given up"));
    expect(names(0)).toEqual(["a", "b", "cancel 0"]);
    transport.at(0).emit({ type: "cancelling", id: 0 });
    done(0, 0);
    const next = run("c");
    await expect.poll(() => names(0)).toEqual(["a", "b", "cancel 0", "c"]);
    for (const id of [1, 2]) done(0, id);
    expect([await running[1], await next]).toEqual([1, 2]);
    expect(transport.at(0).hasEnded).toBe(false);
  });

  it("retires its process if it cleans up for too long", async () => {
    const options = { tasksPerWorker: 2, cancelSeconds: 0.02, maxWorkers: 2 };
    const { transport, run, names, done } = await loaded(options, { isAsync: true });
    const abort = new AbortController();
    const cancelled = run("a", abort.signal).catch((error: Error) => error);
    const other = run("b");
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    abort.abort(new Error("given up"));
    await cancelled;
    transport.at(0).emit({ type: "cancelling", id: 0 });
    const next = run("c");
    await expect.poll(() => transport.started.length).toBe(2);
    expect(transport.at(0).hasEnded).toBe(false);
    done(0, 1);
    expect(await other).toBe(1);
    await expect.poll(() => transport.at(0).hasEnded).toBe(true);
    transport.at(1).ready({ isAsync: true });
    await expect.poll(() => names(1)).toEqual(["c"]);
    done(1, 0);
    await next;
  });

  it("ends its process and the other tasks if it blocks the event loop", async () => {
    const { run, names, started } = await loaded({ tasksPerWorker: 2, cancelSeconds: 0.02 }, { isAsync: true });
    const abort = new AbortController();
    const cancelled = run("a", abort.signal).catch((error: Error) => error);
    const other = run("b").catch((error: Error) => error);
    await expect.poll(() => names(0)).toEqual(["a", "b"]);
    for (const id of [0, 1]) started(0, id);
    abort.abort(new Error("given up"));
    await cancelled;
    const error = await other;
    expect(error).toMatchObject({
      code: "worker_exited",
      message: expect.stringContaining("blocked the event loop of its process") as string,
    });
    expect(findCulprit(error)).toBe("known");
  });

  it.each([
    [false, "The agent's process was killed"],
    [true, "The agent was cancelled"],
  ])("is one that exceeds its time (asynchronous: %s)", async (isAsync, message) => {
    const { run } = await loaded({ timeoutSeconds: 0.02, tasksPerWorker: 2 }, { isAsync });
    await expect(run("a")).rejects.toMatchObject({
      code: "agent_timeout",
      message: `${message} because it exceeded its limit of 0.02 seconds.`,
    });
  });

  it("leaves its place in a process that has not loaded the agent yet", async () => {
    const { transport, run, names, done } = await loaded({ maxWorkers: 2 });
    const first = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    const abort = new AbortController();
    const waiting = run("b", abort.signal).catch((error: Error) => error);
    await expect.poll(() => transport.started.length).toBe(2);
    abort.abort(new Error("given up"));
    expect(await waiting).toEqual(new Error("given up"));
    const next = run("c");
    transport.at(1).ready();
    await expect.poll(() => names(1)).toEqual(["c"]);
    done(1, 1);
    done(0, 0);
    await Promise.all([first, next]);
  });

  it("does not begin if it was given up while it waited", async () => {
    const { run, names, done } = await loaded();
    const first = run("a");
    await expect.poll(() => names(0)).toEqual(["a"]);
    const abort = new AbortController();
    const waiting = run("b", abort.signal).catch((error: Error) => error);
    abort.abort(new Error("given up"));
    expect(await waiting).toEqual(new Error("given up"));
    done(0, 0);
    await first;
    const next = run("c");
    await expect.poll(() => names(0)).toEqual(["a", "c"]);
    done(0, 1);
    await next;
  });
});

it("keeps this process alive only while a process loads its agent or runs a task", async () => {
  const { transport, run, names, done } = pooled();
  const running = run("a");
  await settled();
  const { refs } = transport.at(0);
  expect(refs.at(-1)).toBe("ref");
  transport.at(0).ready();
  await expect.poll(() => names(0)).toEqual(["a"]);
  expect(refs.at(-1)).toBe("ref");
  done(0, 0);
  await running;
  await settled();
  expect(refs.at(-1)).toBe("unref");
});
