import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionPool } from "../../src/client/connection-pool.js";
import { ProxyWatch, watchProxy } from "../../src/rollout/proxy-watch.js";

/** Tests when a proxy counts as lost. The test advances the clock, and answers for the proxy. */

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const never = new AbortController().signal;

/** @param health the state of the proxy, then of the workers behind it; undefined: it does not answer */
function setUp(health?: readonly string[]) {
  const proxy = { health, asked: [] as string[] };
  const request = async (url: string) => {
    proxy.asked.push(url);
    if (!proxy.health) throw new Error("refused");
    const [status, ...workers] = proxy.health;
    const body = { status, ...(workers.length > 0 && { workers: workers.map((each) => ({ status: each })) }) };
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
  };
  const connections = { request } as unknown as ConnectionPool;
  const watch = new ProxyWatch("http://p", connections);
  const changes: boolean[] = [];
  watch.onChange = (isAbsent) => void changes.push(isAbsent);
  return { proxy, connections, watch, changes };
}

describe("a proxy", () => {
  it.each<[readonly string[] | undefined, boolean]>([
    [["ok"], true],
    [["engine_unavailable"], true],
    [["draining"], false],
    [["cordoned"], false],
    [["no_workers", "down", "engine_unavailable"], true],
    [["no_workers", "down"], false],
    [undefined, false],
  ])("with the states %j starts sessions: %s", async (health, starts) => {
    const { proxy, watch } = setUp(health);
    expect(await watch.answers()).toBe(starts);
    expect(watch.isAbsent).toBe(!starts);
    expect(proxy.asked).toEqual(["http://p/health"]);
  });

  it("that answers with something else counts as gone", async () => {
    const { connections } = setUp();
    Object.assign(connections, { request: async () => ({ status: 200, headers: {}, body: Buffer.from("hello") }) });
    expect(await new ProxyWatch("http://p", connections).answers()).toBe(false);
  });

  it("is shared by all that share its connections", () => {
    const { connections } = setUp();
    const watch = watchProxy({ connections, url: "http://p/" });
    expect(watchProxy({ connections, url: "http://p" })).toBe(watch);
    expect(watchProxy({ connections, url: "http://other" })).not.toBe(watch);
    expect(watchProxy({ connections: setUp().connections, url: "http://p" })).not.toBe(watch);
  });
});

describe("a loss", () => {
  it("is reported when the proxy stops answering, and when it answers again", async () => {
    const { proxy, watch, changes } = setUp(["ok"]);
    await watch.answers();
    expect(changes).toEqual([]);
    watch.noteLoss(true);
    watch.noteLoss(true);
    expect([watch.isAbsent, changes]).toEqual([true, [true]]);
    proxy.health = undefined;
    await watch.answers();
    proxy.health = ["ok"];
    await watch.answers();
    expect([watch.isAbsent, changes]).toEqual([false, [true, false]]);
  });

  it("of sessions only leaves the proxy present, and its time is remembered", async () => {
    const { watch, changes } = setUp(["ok"]);
    const before = performance.now();
    expect(watch.wasLostSince(before)).toBe(false);
    watch.noteLoss(false);
    expect([watch.isAbsent, changes, watch.wasLostSince(before)]).toEqual([false, [], true]);
    await pass(1);
    expect(watch.wasLostSince(performance.now())).toBe(false);
  });
});

describe("waiting for a proxy", () => {
  const wait = (watch: ProxyWatch, seconds: number, signal?: AbortSignal) => {
    const state = { ended: undefined as unknown };
    watch.waitUntilAnswers(seconds, signal).then(
      (answers) => (state.ended = answers),
      (error: Error) => (state.ended = error.message),
    );
    return state;
  };

  it("ends when it answers", async () => {
    const { proxy, watch } = setUp();
    const state = wait(watch, 60);
    await pass(20_000);
    expect(state.ended).toBeUndefined();
    proxy.health = ["ok"];
    await pass(3_000);
    expect(state.ended).toBe(true);
  });

  it("ends after the given time", async () => {
    const { proxy, watch } = setUp();
    const state = wait(watch, 10);
    await pass(9_999);
    expect(state.ended).toBeUndefined();
    await pass(1);
    expect(state.ended).toBe(false);
    const asked = proxy.asked.length;
    await pass(60_000);
    expect(proxy.asked).toHaveLength(asked);
  });

  it("asks again after longer and longer pauses, which chance shifts", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.25);
    onTestFinished(() => void vi.restoreAllMocks());
    const { proxy, watch } = setUp();
    wait(watch, 60);
    await pass(0);
    for (const [earlier, pause] of [75, 150, 300, 600, 1200, 1500, 1500].entries()) {
      await pass(pause - 1);
      expect(proxy.asked).toHaveLength(earlier + 1);
      await pass(1);
      expect(proxy.asked).toHaveLength(earlier + 2);
    }
  });

  it("ends with the signal", async () => {
    const { watch } = setUp();
    const abort = new AbortController();
    const state = wait(watch, 10, abort.signal);
    await pass(1_000);
    abort.abort(new Error("enough"));
    await pass(0);
    expect(state.ended).toBe("enough");
  });
});

describe("the end of a proxy", () => {
  const isGone = (watch: ProxyWatch) => {
    const state = { gone: false };
    void watch.whenGone(12, never).then(() => (state.gone = true));
    return state;
  };

  it.each([["ok"], ["cordoned"]])("does not come while it is %s", async (status) => {
    const { watch } = setUp([status]);
    const state = isGone(watch);
    await pass(120_000);
    expect(state.gone).toBe(false);
  });

  it("comes when it has not answered for the given time", async () => {
    const { proxy, watch } = setUp(["ok"]);
    const state = isGone(watch);
    await pass(10_000);
    proxy.health = undefined;
    await pass(10_000);
    expect(state.gone).toBe(false);
    await pass(5_000);
    expect(state.gone).toBe(true);
  });
});
