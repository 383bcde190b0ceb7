import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EngineError } from "../../../src/engine/engine.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { ServerPool } from "../../../src/engine/servers/pool/server-pool.js";
import { NotStartedError, statusError } from "../../../src/engine/servers/wire/errors.js";
import { FakeServer } from "./fake-server.js";
import { runRequest } from "./run-request.js";

const URLS = ["http://a", "http://b", "http://c", "http://d"];
const never = new AbortController().signal;

const open: ServerPool[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const pool of open.splice(0)) await pool.close();
});

function makePool(urls: readonly string[] = URLS, options: { maxInflight?: number; healthMilliseconds?: number } = {}) {
  const servers = urls.map((url) => new FakeServer(url));
  const pool = new ServerPool(servers, { maxInflight: 4, healthMilliseconds: 0, ...options });
  open.push(pool);
  return { pool, servers };
}

/** Returns the URL of the server that gets a request with this key. */
function findHome(pool: ServerPool, key: string): Promise<string> {
  return runRequest(pool, key, never, async ({ url }) => url);
}

const unreachable = () => new NotStartedError("engine_unavailable", "nobody there");

describe("ServerPool", () => {
  it("sends each key to the first server of its rendezvous order", async () => {
    const { pool } = makePool();
    await fc.assert(
      fc.asyncProperty(fc.string(), async (key) => {
        expect(await findHome(pool, key)).toBe(rendezvousOrder(key, URLS)[0]);
      }),
    );
  });

  it("moves only the keys of a drained server, and moves them back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { minLength: 1 }), fc.constantFrom(...URLS), async (keys, drained) => {
        const { pool } = makePool();
        const before = await Promise.all(keys.map((key) => findHome(pool, key)));
        await pool.drain(drained);
        const during = await Promise.all(keys.map((key) => findHome(pool, key)));
        const heirs = keys.map((key) => rendezvousOrder(key, URLS).find((url) => url !== drained));
        expect(during).toEqual(before.map((url, index) => (url === drained ? heirs[index] : url)));
        pool.restore(drained);
        expect(await Promise.all(keys.map((key) => findHome(pool, key)))).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });

  it("sends a request that a server did not begin to the next one, and to no server twice", async () => {
    const { pool } = makePool();
    const tried: string[] = [];
    const running = runRequest(pool, "key", never, async ({ url }) => {
      tried.push(url);
      throw unreachable();
    });
    await expect(running).rejects.toMatchObject({ code: "engine_unavailable", message: "nobody there" });
    expect(tried).toEqual(rendezvousOrder("key", URLS));
  });

  it("does not send a request to another server if it may have begun", async () => {
    const { pool } = makePool();
    const tried: string[] = [];
    const failure = new EngineError("engine_unavailable", "connection lost");
    const running = runRequest(pool, "key", never, async ({ url }) => {
      tried.push(url);
      throw failure;
    });
    await expect(running).rejects.toBe(failure);
    expect(tried).toHaveLength(1);
  });

  it("skips a server that is down until a check finds it healthy", async () => {
    vi.useFakeTimers();
    const { pool, servers } = makePool(URLS, { healthMilliseconds: 10_000 });
    const [home = "", next = ""] = rendezvousOrder("key", URLS);
    const server = servers.find(({ url }) => url === home);
    if (server) server.unhealthy = true;
    const request = async ({ url }: { url: string }) => {
      if (url === home) throw unreachable();
      return url;
    };
    expect(await runRequest(pool, "key", never, request)).toBe(next);
    expect(pool.list().find(({ url }) => url === home)?.state).toBe("down");
    expect(await findHome(pool, "key")).toBe(next);
    await vi.advanceTimersByTimeAsync(600);
    expect(server?.healthChecks).toBe(1);
    expect(await findHome(pool, "key")).toBe(next);
    if (server) server.unhealthy = false;
    await vi.advanceTimersByTimeAsync(1_100);
    expect(server?.healthChecks).toBe(2);
    expect(await findHome(pool, "key")).toBe(home);
  });

  it("tries a server that is down if no other takes the request", async () => {
    const { pool } = makePool(["http://a", "http://b"], { healthMilliseconds: 1_000_000 });
    await expect(runRequest(pool, "key", never, () => Promise.reject(unreachable()))).rejects.toThrow("nobody there");
    expect(pool.list().map(({ state }) => state)).toEqual(["down", "down"]);
    expect(await findHome(pool, "key")).toBe(rendezvousOrder("key", ["http://a", "http://b"])[0]);
  });

  it("reports an unreachable server as down, and counts a call that no server answered", async () => {
    const { pool } = makePool(URLS.slice(0, 2));
    const gone = new EngineError("engine_unavailable", "nobody there");
    await pool.ask(async ({ url }) => (url === URLS[0] ? Promise.reject(gone) : 1));
    const seen = () =>
      pool.list().map(({ state, counts, lastFailure }) => [state, counts.failed, lastFailure?.message]);
    expect(seen()).toEqual([
      ["down", 0, undefined],
      ["up", 0, undefined],
    ]);
    await pool.ask(() => Promise.reject(gone));
    expect(seen()).toEqual([
      ["down", 1, "nobody there"],
      ["down", 1, "nobody there"],
    ]);
  });

  it("neither checks nor skips a single server", async () => {
    vi.useFakeTimers();
    const { pool, servers } = makePool(["http://a"], { healthMilliseconds: 1_000 });
    await expect(runRequest(pool, "key", never, () => Promise.reject(unreachable()))).rejects.toThrow("nobody there");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(servers[0]?.healthChecks).toBe(0);
    expect(pool.list()[0]?.state).toBe("down");
    expect(await findHome(pool, "key")).toBe("http://a");
    expect(pool.list()[0]?.state).toBe("up");
  });
});

describe("servers without health checks", () => {
  it("are all tried in order, independent of earlier failures", async () => {
    const { pool } = makePool();
    const [home = ""] = rendezvousOrder("key", URLS);
    await expect(runRequest(pool, "key", never, () => Promise.reject(unreachable()))).rejects.toThrow("nobody there");
    expect(pool.list().map(({ state }) => state)).toEqual(["down", "down", "down", "down"]);
    expect(await findHome(pool, "key")).toBe(home);
    expect(pool.list().find(({ url }) => url === home)?.state).toBe("up");
  });
});

describe("a server with silent requests", () => {
  const watched = () => {
    vi.useFakeTimers();
    const { pool, servers } = makePool(["http://a", "http://b"], { healthMilliseconds: 10_000 });
    const home = servers.find(({ url }) => url === rendezvousOrder("key", ["http://a", "http://b"])[0]);
    if (!home) throw new Error("no server");
    const readState = () => pool.list().find(({ url }) => url === home.url)?.state;
    return { pool, home, readState };
  };
  const forever = () => new Promise<never>(() => {});

  it("gets a check of its scheduler after a minute, and is down if the scheduler does not answer", async () => {
    const { pool, home, readState } = watched();
    home.schedulerDead = true;
    void runRequest(pool, "key", never, forever);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([home.schedulerChecks, readState()]).toEqual([0, "up"]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(readState()).toBe("down");
  });

  it("is up while its scheduler answers, even during a long prompt", async () => {
    const { pool, home, readState } = watched();
    void runRequest(pool, "key", never, forever);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(home.schedulerChecks).toBeGreaterThan(10);
    expect(readState()).toBe("up");
  });

  it("gets no check of its scheduler while tokens arrive, or while it has no requests", async () => {
    const { pool, home } = watched();
    await vi.advanceTimersByTimeAsync(100_000);
    void runRequest(pool, "key", never, (_, onProgress) => {
      setInterval(onProgress, 30_000);
      return forever();
    });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(home.schedulerChecks).toBe(0);
  });

  it("fails the engine's health if it is the only one and its scheduler does not answer", async () => {
    vi.useFakeTimers();
    const { pool, servers } = makePool(["http://a"]);
    const [server] = servers;
    if (server) server.schedulerDead = true;
    void runRequest(pool, "key", never, forever);
    await expect(pool.health()).resolves.toBeUndefined();
    await vi.advanceTimersByTimeAsync(61_000);
    await expect(pool.health()).rejects.toThrow("no answer");
  });
});

describe("the counts of a server", () => {
  const listCounts = (pool: ServerPool) => pool.list().map(({ counts }) => counts);

  it("distinguish completed, failed and aborted requests and failovers", async () => {
    const { pool } = makePool(["http://a", "http://b"]);
    const [home = "", next = ""] = rendezvousOrder("key", ["http://a", "http://b"]);
    await runRequest(pool, "key", never, async ({ url }) => {
      if (url === home) throw unreachable();
    });
    await expect(runRequest(pool, "key", never, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
    const controller = new AbortController();
    const leaving = runRequest(pool, "key", controller.signal, async () => {
      controller.abort(new Error("left"));
      throw controller.signal.reason;
    });
    await expect(leaving).rejects.toThrow("left");
    const byUrl = new Map(pool.list().map((state) => [state.url, state]));
    expect(byUrl.get(home)?.counts).toEqual({ completed: 0, failed: 2, aborted: 1, failovers: 1 });
    expect(byUrl.get(home)?.lastFailure).toEqual({ message: "broke", at: expect.any(Number) });
    expect(byUrl.get(next)?.counts).toEqual({ completed: 1, failed: 0, aborted: 0, failovers: 0 });
  });

  it("count no failover if no server is left", async () => {
    const { pool } = makePool(["http://a"]);
    await expect(runRequest(pool, "key", never, () => Promise.reject(unreachable()))).rejects.toThrow("nobody there");
    expect(listCounts(pool)).toEqual([{ completed: 0, failed: 1, aborted: 0, failovers: 0 }]);
  });
});

describe("draining", () => {
  it("continues if the wait for it is aborted", async () => {
    const { pool } = makePool(["http://a"]);
    let finish = () => {};
    const running = runRequest(pool, "key", never, () => new Promise<void>((resolve) => (finish = resolve)));
    const limit = new AbortController();
    const draining = pool.drain("http://a", limit.signal);
    limit.abort(new Error("too long"));
    await expect(draining).rejects.toThrow("too long");
    expect(pool.list()).toMatchObject([{ state: "draining", requests: 1 }]);
    finish();
    await running;
    await pool.drain("http://a", limit.signal);
  });

  it("waits for running requests, and moves waiting requests to another server", async () => {
    const { pool } = makePool(URLS, { maxInflight: 1 });
    const [home = "", next = ""] = rendezvousOrder("key", URLS);
    let finish = () => {};
    const first = runRequest(pool, "key", never, ({ url }) => {
      return new Promise<string>((resolve) => {
        finish = () => resolve(url);
      });
    });
    const second = findHome(pool, "key");
    await expect.poll(() => pool.list().find(({ url }) => url === home)?.requests).toBe(2);
    let drained = false;
    const draining = pool.drain(home).then(() => {
      drained = true;
    });
    expect(await findHome(pool, "key")).toBe(next);
    expect(drained).toBe(false);
    finish();
    expect(await first).toBe(home);
    expect(await second).toBe(next);
    await draining;
    const left = { url: home, state: "draining", healthy: true, requests: 0, waiting: 0 };
    expect(pool.list().find(({ url }) => url === home)).toMatchObject(left);
  });

  it("of every server fails requests as engine_unavailable", async () => {
    const { pool } = makePool(["http://a", "http://b"]);
    await Promise.all([pool.drain("http://a"), pool.drain("http://b")]);
    await expect(findHome(pool, "key")).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(pool.health()).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("throws RangeError for an unknown URL", async () => {
    const { pool } = makePool(["http://a"]);
    await expect(pool.drain("http://b")).rejects.toThrow(RangeError);
    expect(() => pool.restore("http://b")).toThrow(RangeError);
  });
});

describe("the state of a server", () => {
  const states = (pool: ServerPool) => pool.list().map(({ state, healthy }) => [state, healthy]);

  it("is unknown until it is reached", async () => {
    const { pool } = makePool(["http://a"]);
    expect(states(pool)).toEqual([["unknown", false]]);
    await findHome(pool, "key");
    expect(states(pool)).toEqual([["up", true]]);
  });

  it("is known from an error of the engine, but not from a lost connection or an error of this process", async () => {
    const failures: [Error, string][] = [
      [new EngineError("engine_error", "no"), "up"],
      [new EngineError("engine_unavailable", "lost"), "unknown"],
      [new Error("inside"), "unknown"],
      [new NotStartedError("engine_error", "busy"), "up"],
      [unreachable(), "down"],
    ];
    for (const [error, state] of failures) {
      const { pool } = makePool(["http://a"]);
      await expect(runRequest(pool, "key", never, () => Promise.reject(error))).rejects.toThrow(error.message);
      expect([error.message, pool.list()[0]?.state]).toEqual([error.message, state]);
    }
  });

  it("becomes known by a check of the pool's health", async () => {
    const { pool, servers } = makePool(["http://a", "http://b"]);
    const [, b] = servers;
    if (b) b.unhealthy = true;
    await pool.health();
    expect(states(pool)).toEqual([
      ["up", true],
      ["unknown", false],
    ]);
  });
});

describe("the readiness of a pool", () => {
  const ready = async () => undefined;

  it("names each server's problem, and makes its state known", async () => {
    const { pool, servers } = makePool(["http://a", "http://b", "http://c"]);
    const [, b] = servers;
    if (b) b.unhealthy = true;
    const lacking = async ({ url }: { url: string }) => {
      if (url === "http://c") throw new EngineError("engine_error", "The engine does not serve the model m.");
    };
    expect(await pool.readiness(lacking, never)).toEqual([
      { url: "http://a", problem: undefined },
      { url: "http://b", problem: { about: "server", message: "not healthy" } },
      { url: "http://c", problem: { about: "model", message: "The engine does not serve the model m." } },
    ]);
    expect(pool.list().map(({ state }) => state)).toEqual(["up", "down", "up"]);
  });

  it("does not wait for silent servers, and distinguishes healthy ones from unreachable ones", async () => {
    const { pool, servers } = makePool(["http://a", "http://b"]);
    const [, b] = servers;
    if (b) b.health = () => new Promise<void>(() => {});
    const silent = () => new Promise<void>(() => {});
    const message = "The engine did not answer in time.";
    expect((await pool.readiness(silent, AbortSignal.timeout(20))).map(({ problem }) => problem)).toEqual([
      { about: "unanswered", message },
      { about: "server", message },
    ]);
    expect(pool.list().map(({ state }) => state)).toEqual(["up", "down"]);
    const left = AbortSignal.abort(new Error("left"));
    expect((await pool.readiness(silent, left)).map(({ problem }) => problem?.about)).toEqual(["server", "server"]);
  });

  it("has the warnings of ready servers, if somebody needs them", async () => {
    const { pool, servers } = makePool(["http://a", "http://b", "http://c"]);
    const [a, b, c] = servers;
    const warnings = [{ about: "flag", message: "too few" }] as const;
    const needs = { sample: { text: "", ids: [] }, reasoning: false, contextLength: undefined };
    Object.assign(a ?? {}, { listWarnings: async () => warnings });
    Object.assign(b ?? {}, { listWarnings: () => Promise.reject(new Error("unanswered")) });
    Object.assign(c ?? {}, { listWarnings: async () => warnings, unhealthy: true });
    expect(await pool.readiness(ready, never, needs)).toEqual([
      { url: "http://a", problem: undefined, warnings },
      { url: "http://b", problem: undefined },
      { url: "http://c", problem: { about: "server", message: "not healthy" } },
    ]);
    expect((await pool.readiness(ready, never)).map(({ warnings: listed }) => listed)).toEqual(
      Array(3).fill(undefined),
    );
  });

  it("names a problem that is no error", async () => {
    const { pool } = makePool(["http://a"]);
    const odd = () => Promise.reject("odd" as never);
    expect((await pool.readiness(odd, never))[0]?.problem).toEqual({ about: "model", message: "odd" });
  });

  it("reports a refused API key, whether the health check or the readiness check was refused", async () => {
    const { pool, servers } = makePool(["http://a", "http://b"]);
    const [, b] = servers;
    const refuse = async () => {
      throw statusError(401, "{}");
    };
    if (b) b.health = refuse;
    const problem = { about: "key", message: "The engine refused the API key (HTTP 401)." };
    expect((await pool.readiness(refuse, never)).map((answer) => answer.problem)).toEqual([problem, problem]);
  });

  it("leaves the state of a server that is known", async () => {
    const { pool, servers } = makePool(["http://a", "http://b"], { healthMilliseconds: 1_000_000 });
    const [a] = servers;
    await pool.readiness(ready, never);
    if (a) a.unhealthy = true;
    await pool.readiness(ready, never);
    expect(pool.list().map(({ state }) => state)).toEqual(["up", "up"]);
  });

  it("skips a server that is being drained", async () => {
    const { pool } = makePool(["http://a", "http://b"]);
    await pool.drain("http://a");
    expect((await pool.readiness(ready, never)).map(({ url }) => url)).toEqual(["http://b"]);
  });
});

describe("the health of a pool", () => {
  it("is good if at least one server is healthy", async () => {
    const { pool, servers } = makePool(["http://a", "http://b"]);
    const [a, b] = servers;
    if (a) a.unhealthy = true;
    await expect(pool.health()).resolves.toBeUndefined();
    if (b) b.unhealthy = true;
    await expect(pool.health()).rejects.toThrow("not healthy");
  });
});
