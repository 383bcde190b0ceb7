import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ProcessPool } from "../../../src/rollout/subproc/process-pool.js";
import { ProgramAgent } from "../../../src/rollout/subproc/program-agent.js";
import { type AgentProgram, runProgram } from "../../../src/rollout/subproc/run-program.js";
import { readStandardError } from "../../../src/rollout/subproc/standard-error.js";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { settled } from "../../job/held-workflow.js";
import { context, isAlive } from "./context.js";

let printed = "";

beforeEach(() => {
  printed = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  return () => void vi.restoreAllMocks();
});

const { signal: never } = new AbortController();

/** Runs a script of the shell. */
const run = (script: string, change: Partial<AgentProgram> = {}, signal = never) =>
  runProgram({ command: ["sh", "-c", script], directory: "/", environment: {}, input: "", ...change }, signal);

const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe("a program", () => {
  it("gives the reward that it prints, which is not shown", async () => {
    expect(await run("echo loading; echo 0.5")).toBe(0.5);
    expect(await run(`echo '{"a":1}'`)).toEqual({ a: 1 });
    expect(printed).toBe("");
  });

  it("has its data, its folder and its environment, without keys of a proxy", async () => {
    vi.stubEnv("OPENAI_API_KEY", "secret");
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "rolltape-program-")));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(directory, { recursive: true });
    });
    const script = `read line; echo "{\\"$line $PWD $GIVEN [$OPENAI_API_KEY]\\": 1}"`;
    const value = await run(script, { directory, environment: { GIVEN: "yes" }, input: "data\n" });
    expect(value).toEqual({ [`data ${directory} yes []`]: 1 });
  });

  it("need not read its data", async () => {
    expect(await run("exec <&-; echo 1", { input: "x".repeat(1 << 20) })).toBe(1);
  });

  it("is warned of if it prints other numbers before its reward", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    await run("echo 1");
    expect(warned).not.toHaveBeenCalled();
    await run("echo 1; echo 2");
    const advice = 'Print the reward as {"reward": …} to make it unambiguous.';
    const text = `sh printed other numbers before its reward, the last line. ${advice}`;
    expect(warned.mock.calls).toEqual([[text, "AgentWarning"]]);
  });

  it("fails with its status or signal, and the end of its outputs is shown", async () => {
    const error = await failure(run("echo half; echo oops >&2; exit 3"));
    expect(error).toMatchObject({
      code: "program_failed",
      message: "sh ended with status 3. Its standard error ends with:\noops",
    });
    expect(readStandardError(error).trim()).toBe("oops");
    expect(printed).toMatch(/^(oops\nhalf|half\noops)\n$/);
    expect(await failure(run("kill -KILL $$"))).toMatchObject({
      code: "program_failed",
      message: "sh ended with SIGKILL.",
    });
  });

  it("fails if it prints no reward", async () => {
    expect(await failure(run("echo done"))).toMatchObject({
      code: "invalid_program_output",
      message:
        'sh printed no reward: the last line of its standard output must be a JSON number or object, or any line {"reward": …}.',
    });
    expect(printed).toContain("done");
  });

  it("fails if it cannot be started", async () => {
    expect(await failure(run("", { command: ["/nowhere/agent"] }))).toMatchObject({
      code: "program_not_started",
      message: "/nowhere/agent could not be started: spawn /nowhere/agent ENOENT",
      cause: { code: "ENOENT" },
    });
  });

  it("is not started after its signal has aborted", async () => {
    const reason = new Error("enough");
    expect(await failure(run("echo started >&2", {}, AbortSignal.abort(reason)))).toBe(reason);
    expect(printed).toBe("");
  });

  it("is killed with its processes when the signal aborts", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    const running = failure(run("echo half; sleep 1000 & echo pid $! >&2; wait", {}, abort.signal));
    await expect.poll(() => printed).toMatch(/pid \d+/);
    const pid = Number(/pid (\d+)/.exec(printed)?.[1]);
    abort.abort(reason);
    expect(await running).toBe(reason);
    await expect.poll(() => isAlive(pid)).toBe(false);
    await expect.poll(() => printed).toContain("half");
  });
});

describe("a pool of processes", () => {
  const pool = (options: { maxWorkers: number; timeoutSeconds?: number }) => {
    const made = new ProcessPool(options);
    onTestFinished(() => made.close());
    return made;
  };

  it("gives slots to at most maxWorkers at once", async () => {
    const slots = pool({ maxWorkers: 2 });
    const gates = [createDeferred<string>(), createDeferred<string>(), createDeferred<string>()];
    const begun: number[] = [];
    const work = gates.map(({ promise }, i) =>
      slots.occupy(never, (signal) => {
        begun.push(i);
        expect(signal.aborted).toBe(false);
        return promise;
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    gates[1]?.resolve("b");
    expect(await work[1]).toBe("b");
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve("x");
    await Promise.all(work);
  });

  it("aborts work that exceeds its time, whose episode is aborted, or whose pool is closed", async () => {
    const untilAborted = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const late = await failure(pool({ maxWorkers: 1, timeoutSeconds: 0.02 }).occupy(never, untilAborted));
    expect(late).toMatchObject({ code: "agent_timeout", message: expect.stringContaining("0.02 seconds") as string });
    const abort = new AbortController();
    const aborted = failure(pool({ maxWorkers: 1 }).occupy(abort.signal, untilAborted));
    await settled();
    abort.abort(new Error("enough"));
    expect(await aborted).toEqual(new Error("enough"));
    const closing = pool({ maxWorkers: 1 });
    const [running, waiting] = [1, 2].map(() => failure(closing.occupy(never, untilAborted)));
    await settled();
    await closing[Symbol.asyncDispose]();
    for (const each of [running, waiting]) expect(await each).toMatchObject({ code: "pool_closed" });
  });

  it("runs programs with the data as JSON and the session in their environment", async () => {
    const command = ["sh", "-c", 'read line; echo "{\\"$OPENAI_BASE_URL $OPENAI_API_KEY $PWD\\": $line}"'] as const;
    const agent = new ProgramAgent<unknown>(pool({ maxWorkers: 1 }), { command: [...command], directory: "/" });
    expect(await agent.run(3, context())).toEqual({ "http://127.0.0.1:9/v1 sk-of-this-task /": 3 });
    expect(await agent.run(undefined, context())).toEqual({ "http://127.0.0.1:9/v1 sk-of-this-task /": null });
    const here = new ProgramAgent<unknown>(pool({ maxWorkers: 1 }), { command: [...command] });
    expect(await here.run(1, context())).toEqual({ [`http://127.0.0.1:9/v1 sk-of-this-task ${process.cwd()}`]: 1 });
    await expect(agent.run({ call: () => 1 }, context())).rejects.toMatchObject({ code: "not_serializable" });
  });
});
