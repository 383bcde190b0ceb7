import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { NotStartedError } from "../../../src/engine/servers/wire/errors.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { until } from "../../helpers/until.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";
import { type HeldServer, holdEngine } from "./held-server.js";

const A = "http://a";
const B = "http://b";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const item of open.splice(0).reverse()) await item.close();
});

function opened<T extends { close(): Promise<void> }>(item: T): T {
  open.push(item);
  return item;
}

/** Waits until all pending promise callbacks have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => process.nextTick(resolve));
}

/** Starts one call of a session, and returns its outcome: "finished" or the message of its error. */
function start(engine: Engine, session: string, signal?: AbortSignal): Promise<string> {
  const call = makeCall([1], { maxTokens: 1 }, { affinityKey: session });
  return engine.generate(call, signal).then(
    () => "finished",
    (error: Error) => error.message,
  );
}

function startMany(engine: Engine, session: string, count: number, signal?: AbortSignal): Promise<string>[] {
  return Array.from({ length: count }, () => start(engine, session, signal));
}

/** Returns a session whose calls go to this server first. */
function sessionFor(url: string): string {
  for (let n = 0; ; n++) if (rendezvousOrder(`session-${n}`, [A, B])[0] === url) return `session-${n}`;
}

/** Creates an engine with one server. */
function one(maxInflight: number, options: { readonly timeoutSeconds?: number } = {}) {
  const { engine, servers } = holdEngine([A], { maxInflight, ...options });
  const [server] = servers;
  if (!server) throw new Error("no server");
  return { engine: opened(engine), server };
}

/** Creates an engine with two servers that are checked, and three calls for server A: one runs and two wait. */
async function busyPair(options: { readonly healthSeconds?: number } = { healthSeconds: 10 }) {
  const { engine, servers } = holdEngine([A, B], { maxInflight: 1, ...options });
  opened(engine);
  const [a, b] = servers;
  if (!a || !b) throw new Error("two servers expected");
  const session = sessionFor(A);
  const [running, ...waiting] = startMany(engine, session, 3);
  await settle();
  expect(engine.servers.list().map(({ requests, waiting }) => [requests, waiting])).toEqual([
    [3, 2],
    [0, 0],
  ]);
  return { engine, a, b, session, running, waiting };
}

async function finishAll(...servers: readonly HeldServer[]): Promise<void> {
  while (servers.some(({ running }) => running > 0)) {
    for (const server of servers) if (server.running > 0) server.finishOldest();
    await settle();
  }
}

describe("a call of a session", () => {
  it("runs second at the latest, even if another session has 500 waiting calls", async () => {
    const { engine, server } = one(2);
    const flood = startMany(engine, "flood", 502);
    await settle();
    expect([server.running, engine.servers.list()[0]?.waiting]).toEqual([2, 500]);
    const single = start(engine, "single");
    await settle();
    server.finishOldest();
    await settle();
    server.finishOldest();
    await settle();
    expect(server.arrived.slice(2)).toContain("single");
    expect(server.arrived).toHaveLength(4);
    await finishAll(server);
    expect(new Set(await Promise.all([single, ...flood]))).toEqual(new Set(["finished"]));
    expect(server.mostRunning).toBe(2);
  });

  it("takes turns with the calls of other sessions, and keeps the order of its own session", async () => {
    const { engine, server } = one(1);
    const calls = ["x", "a", "a", "a", "b", "b", "c"].map((session) => start(engine, session));
    await settle();
    await finishAll(server);
    await Promise.all(calls);
    expect(server.arrived).toEqual(["x", "a", "b", "c", "a", "b", "a"]);
  });
});

describe("a waiting call", () => {
  it("leaves the queue without a place when its client disconnects or its session ends", async () => {
    const { engine, server } = one(1);
    const controller = new AbortController();
    const first = start(engine, "first");
    const leaving = startMany(engine, "leaving", 3, controller.signal);
    const last = start(engine, "last");
    await settle();
    controller.abort(new Error("left"));
    expect(await Promise.all(leaving)).toEqual(["left", "left", "left"]);
    expect(engine.servers.list()).toMatchObject([{ requests: 2, waiting: 1 }]);
    await finishAll(server);
    expect(await Promise.all([first, last])).toEqual(["finished", "finished"]);
    expect(server.arrived).toEqual(["first", "last"]);
  });

  it("passes its place on if its client disconnects just when it gets the place", async () => {
    const { engine, server } = one(1);
    const controller = new AbortController();
    const calls = [start(engine, "first"), start(engine, "leaving", controller.signal), start(engine, "last")];
    await settle();
    server.finishOldest();
    controller.abort(new Error("left"));
    await settle();
    await finishAll(server);
    expect(await Promise.all(calls)).toEqual(["finished", "left", "finished"]);
    expect(engine.servers.list()).toMatchObject([{ requests: 0, waiting: 0 }]);
  });

  it("fails when the engine is closed", async () => {
    const { engine } = one(1);
    const leave = new AbortController();
    const running = start(engine, "first", leave.signal);
    const waiting = startMany(engine, "second", 2);
    await settle();
    await engine.close();
    expect(await Promise.all(waiting)).toEqual(["The engine is closed.", "The engine is closed."]);
    leave.abort(new Error("left"));
    expect(await running).toBe("left");
  });

  it("does not use up the time limit of its generation", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { engine, server } = one(1, { timeoutSeconds: 10 });
    const calls = startMany(engine, "session", 3);
    for (const _ of calls) {
      await settle();
      vi.advanceTimersByTime(9_000);
      server.finishOldest();
    }
    expect(await Promise.all(calls)).toEqual(["finished", "finished", "finished"]);
  });

  it("has exactly its whole time limit once it runs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { engine, server } = one(1, { timeoutSeconds: 10 });
    const calls = startMany(engine, "session", 2);
    await settle();
    vi.advanceTimersByTime(9_000);
    server.finishOldest();
    await settle();
    vi.advanceTimersByTime(9_999);
    await settle();
    expect(server.running).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await Promise.all(calls)).toEqual(["finished", "The engine did not finish within 10 seconds."]);
  });
});

describe("calls that wait for a server", () => {
  it("go to another server as soon as theirs is lost", async () => {
    const { engine, a, b, session, running, waiting } = await busyPair();
    a.failOldest(new NotStartedError("engine_unavailable", "nobody there"));
    await settle();
    expect(engine.servers.list().map(({ state }) => state)).toEqual(["down", "unknown"]);
    await finishAll(b);
    expect(await Promise.all([running, ...waiting])).toEqual(["finished", "finished", "finished"]);
    expect([a.arrived, b.arrived]).toEqual([[session], [session, session, session]]);
  });

  it("go to another server even if a request still hangs on the lost one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { engine, a, b, session, running, waiting } = await busyPair();
    a.unhealthy = true;
    await vi.advanceTimersByTimeAsync(10_000);
    await settle();
    expect(engine.servers.list().map(({ state }) => state)).toEqual(["down", "up"]);
    expect(engine.servers.list().map(({ requests }) => requests)).toEqual([1, 2]);
    await finishAll(b);
    expect(await Promise.all(waiting)).toEqual(["finished", "finished"]);
    expect(b.arrived).toEqual([session, session]);
    expect(engine.servers.list()[0]?.counts).toMatchObject({ failed: 0, failovers: 2 });
    a.finishOldest();
    expect(await running).toBe("finished");
  });

  it("stay if no server is checked, because each call then tries the server itself", async () => {
    const { a, b, session, running, waiting } = await busyPair({ healthSeconds: 0 });
    a.failOldest(new NotStartedError("engine_unavailable", "nobody there"));
    await settle();
    expect([a.arrived, b.arrived]).toEqual([[session, session], [session]]);
    await finishAll(a, b);
    expect(await Promise.all([running, ...waiting])).toEqual(["finished", "finished", "finished"]);
  });

  it("go to another server as soon as theirs is drained", async () => {
    const { engine, a, b, session, running, waiting } = await busyPair();
    const drained = engine.servers.drain(A);
    await settle();
    expect(b.arrived).toEqual([session]);
    await finishAll(b);
    expect(await Promise.all(waiting)).toEqual(["finished", "finished"]);
    a.finishOldest();
    await drained;
    expect([await running, a.arrived]).toEqual(["finished", [session]]);
  });

  it("fail if every server is drained", async () => {
    const { engine, a, running, waiting } = await busyPair();
    void engine.servers.drain(A);
    void engine.servers.drain(B);
    const message = "Every engine server is being drained.";
    await settle();
    expect(await waiting[1]).toBe(message);
    a.finishOldest();
    expect(await running).toBe("finished");
  });
});

describe("a pause", () => {
  it("sends no waiting calls, and lets sessions take turns after it", async () => {
    const { engine, server } = one(1);
    const calls = ["x", "a", "a", "b"].map((session) => start(engine, session));
    await settle();
    await engine.servers.pause("abort");
    server.cutAll();
    await settle();
    expect([server.arrived, server.running]).toEqual([["x"], 0]);
    expect(engine.servers.list()).toMatchObject([{ requests: 0, waiting: 0 }]);
    await engine.servers.resume();
    await until(() => engine.servers.list()[0]?.requests === 4);
    await finishAll(server);
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["finished"]));
    expect(server.arrived.indexOf("b")).toBeLessThan(server.arrived.lastIndexOf("a"));
    expect(server.mostRunning).toBe(1);
  });
});

type Step = "start" | "abort" | "finish" | "fail";

describe("the number of requests on a server", () => {
  it("is never above max_inflight, and never below while calls wait", async () => {
    const steps = fc.array(
      fc.record({
        do: fc.constantFrom<Step>("start", "start", "abort", "finish", "fail"),
        session: fc.constantFrom("a", "b", "c"),
        pick: fc.nat(),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (script, maxInflight) => {
        const { engine, server } = one(maxInflight);
        const unfinished = new Map<AbortController, Promise<string>>();
        for (const { do: step, session, pick } of script) {
          const controllers = [...unfinished.keys()];
          if (step === "start") {
            const controller = new AbortController();
            const outcome = start(engine, session, controller.signal);
            unfinished.set(controller, outcome);
            void outcome.then(() => unfinished.delete(controller));
          } else if (step === "abort") controllers[pick % controllers.length]?.abort(new Error("left"));
          else if (server.running > 0 && step === "finish") server.finishOldest();
          else if (server.running > 0) server.failOldest(new Error("broke"));
          await settle();
          expect(server.running).toBe(Math.min(maxInflight, unfinished.size));
          expect(engine.servers.list()).toMatchObject([{ requests: unfinished.size }]);
        }
        await finishAll(server);
        expect(unfinished.size).toBe(0);
        expect(server.mostRunning).toBeLessThanOrEqual(maxInflight);
      }),
      { numRuns: 60 },
    );
  });
});

describe("an engine server that allows 300 requests at once", () => {
  it.each([
    ["sglang", startSglangServer, createSglangEngine, "/generate"],
    ["vllm", startVllmServer, createVllmEngine, "/inference/v1/generate"],
  ] as const)(
    "gets 300 at once, and the 301st when one of them has ended (%s)",
    async (_, startServer, create, path) => {
      const server = opened(await startServer());
      const engine = opened(create({ urls: [server.url], timeoutSeconds: 0, maxInflight: 300, contextLength: 4096 }));
      await engine.health();
      server.scheduler.pause("in_place");
      const calls = startMany(engine, "session", 301);
      await until(() => server.to(path).length >= 300);
      expect(engine.servers?.list()).toMatchObject([{ requests: 301, waiting: 1, maxInflight: 300 }]);
      await engine.health();
      expect(server.to(path)).toHaveLength(300);
      server.scheduler.continue();
      expect(new Set(await Promise.all(calls))).toEqual(new Set(["finished"]));
      expect(server.to(path).length).toBeGreaterThanOrEqual(301);
    },
  );
});
