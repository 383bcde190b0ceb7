import { describe, expect, it } from "vitest";
import { readStandardError } from "../../../src/rollout/subproc/standard-error.js";
import { SubprocAgent } from "../../../src/rollout/subproc/subproc-agent.js";
import { Configured, type Order, Scaled } from "./agents/local.js";
import { AGENTS, context, pool } from "./context.js";

const named = (name: string, processes = pool()) =>
  new SubprocAgent<Order>(processes, `./local.ts#${name}`, { directory: AGENTS });

describe("SubprocAgent", () => {
  it("has address and key in the environment only while it runs, and not in its arguments", async () => {
    const agent = named("environment");
    const first = await agent.run({}, context("sk-first"));
    expect(first).toEqual({
      COMPAT_BASE_URL: "http://127.0.0.1:9",
      COMPAT_API_KEY: "sk-first",
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      ANTHROPIC_API_KEY: "sk-first",
      LEFT_BEHIND: null,
      keyAtImport: null,
      context: [],
    });
    // The same process runs the second task. It has nothing left from the first one.
    expect(await agent.run({}, context("sk-second"))).toEqual({
      ...(first as object),
      COMPAT_API_KEY: "sk-second",
      ANTHROPIC_API_KEY: "sk-second",
    });
  });

  it("starts in the pool's directory, and cannot send messages about another task", async () => {
    const agent = named("obedient", pool({ maxWorkers: 1 }));
    const pid = await agent.run({ do: "move" }, context());
    expect(await agent.run({ do: "lie" }, context())).toBe(pid);
    expect(await agent.run({ do: "where" }, context())).toEqual({ [process.cwd()]: pid });
  });

  it("accepts an instance with its current properties, or a class with keyword arguments", async () => {
    const processes = pool();
    const instance = new SubprocAgent(processes, new Scaled(3));
    expect(await instance.run({ score: 5 }, context())).toBe(15);
    const made = new SubprocAgent(processes, `./local.ts#${Configured.name}`, {
      directory: AGENTS,
      keywordArguments: { reward: 2 },
    });
    expect(await made.run({}, context())).toEqual(new Map([["chatcmpl-1", 2]]));
  });

  it("follows an import string that leads to another one", async () => {
    expect(await named("redirected").run({ do: "pid" }, context())).toBeTypeOf("number");
  });
});

/** Returns a buffer that was transferred. */
function detachedArray(): ArrayBuffer {
  const buffer = new ArrayBuffer(4);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

describe("a value that cannot be sent to another process is refused with its path:", () => {
  it.each([
    [
      "of the agent",
      () => new SubprocAgent(pool(), new Scaled(1, { call: () => 1 })),
      "agent.helper.call is a function",
    ],
    [
      "of the keyword arguments",
      () => new SubprocAgent(pool(), "./local.ts#Configured", { keywordArguments: { log: { write() {} } } }),
      "keywordArguments.log.write is a function",
    ],
  ])("%s", (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: "not_serializable", message: expect.stringContaining(message) as string }),
    );
  });

  it("in the data and in the reward", async () => {
    const agent = named("obedient");
    const data = { tools: [{ call: () => 1 }] } as Order;
    await expect(agent.run(data, context())).rejects.toThrow("data.tools[0].call is a function");
    const refused = { name: "SubprocError", code: "not_serializable" };
    const reward = { ...refused, message: expect.stringContaining("reward.id is a function") as string };
    await expect(agent.run({ do: "function" }, context())).rejects.toMatchObject(reward);
    await expect(agent.run({ do: "proxy" }, context())).rejects.toThrow("reward is a Proxy");
  });

  it.each<[string, () => object]>([
    ["data.b is a Proxy", () => ({ b: new Proxy({}, {}) })],
    ["data.b is shared memory", () => ({ b: new Uint8Array(new SharedArrayBuffer(4)) })],
    ["data.b is a detached ArrayBuffer", () => ({ b: detachedArray() })],
    ["data.list.extra is a function", () => ({ list: Object.assign([1], { extra: () => 1 }) })],
    [
      "data.b is a getter that throws (not yet)",
      () => ({
        get b(): never {
          throw new Error("not yet");
        },
      }),
    ],
  ])("although it looks plain: %s", async (message, data) => {
    const agent = named("obedient", pool({ maxWorkers: 1 }));
    const pid = await agent.run({ do: "pid" }, context());
    const refused = { code: "not_serializable", message: expect.stringContaining(message) as string };
    await expect(agent.run(data() as Order, context())).rejects.toMatchObject(refused);
    expect(await agent.run({ do: "pid" }, context())).toBe(pid);
  });

  it("an agent whose module is unknown", () => {
    expect(() => new SubprocAgent(pool(), { run: () => 1 })).toThrow(/import string.*received an object with run/);
  });
});

describe("only the failing agent is affected", () => {
  it.each([
    ["throws", "raise", { name: "TypeError", message: "the tool is broken" }],
    [
      "throws a value that cannot be inspected",
      "throw something odd",
      { message: "The agent threw a value that cannot be described." },
    ],
    ["throws with a code", "throw with a code", { message: "no file", code: "ENOENT" }],
  ])("when it %s", async (_, order, error) => {
    const agent = named("obedient", pool({ maxWorkers: 2 }));
    const [failed, other] = await Promise.allSettled([
      agent.run({ do: order }, context()),
      agent.run({ do: "pid" }, context()),
    ]);
    expect(failed).toMatchObject({ status: "rejected", reason: error });
    expect(other).toMatchObject({ status: "fulfilled" });
    expect(await agent.run({ do: "pid" }, context())).toBeTypeOf("number");
  });

  it("when it leaves timers or requests behind: its process is replaced for the next task", async () => {
    const agent = named("obedient");
    const first = await agent.run({ do: "timer" }, context());
    expect(await agent.run({ do: "pid" }, context())).not.toBe(first);
  });
});

describe("ProcessPool", () => {
  it("reports the standard error of a process that ended before it accepted a task", async () => {
    const script = 'process.stderr.write("x".repeat(5000) + "\\nno licence\\n"); process.exit(3);';
    const processes = pool({ nodeArguments: ["--import", `data:text/javascript,${encodeURIComponent(script)}`] });
    const error: unknown = await named("obedient", processes)
      .check()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "worker_start_failed",
      message: expect.stringMatching(
        /before it accepted a task: status 3\. Its standard error ends with:\nx+\nno licence$/,
      ) as string,
    });
    expect(readStandardError(error)).toMatch(/^x{5000}\nno licence$/);
  });

  it("checks before any episode that an agent can be created", async () => {
    await expect(named("absent").check()).rejects.toThrow("does not export absent");
    await expect(named("obedient").check()).resolves.toBeUndefined();
  });
});
