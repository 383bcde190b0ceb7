import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LeaseRequests, type TaskRequest } from "../../../src/job/leases/lease-requests.js";
import type { LeasedTask } from "../../../src/rollout/lease/protocol.js";
import { createDeferred, type Deferred } from "../../../src/support/async/deferred.js";
import { settled } from "../held-workflow.js";

const NO_END = 3_600_000;

const leased = (lease_id: string) => ({ lease_id }) as LeasedTask;

/** Requests that are served when the test says so. */
function held() {
  const asked: { request: TaskRequest; answer: Deferred<LeasedTask[] | undefined> }[] = [];
  const returned: string[] = [];
  const requests = new LeaseRequests({
    serve: (request) => {
      const answer = createDeferred<LeasedTask[] | undefined>();
      asked.push({ request, answer });
      return answer.promise;
    },
    giveBack: async (tasks) => returned.push(...tasks.map(({ lease_id }) => lease_id)),
  });
  const answer = async (tasks?: LeasedTask[]) => {
    await settled();
    asked.shift()?.answer.resolve(tasks);
    await settled();
  };
  const wait = (workerId: string, signal = new AbortController().signal) => requests.wait({ workerId }, NO_END, signal);
  return { requests, asked, returned, answer, wait };
}

function fakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("a request that waits", () => {
  it("is asked for in the next turn, and again with each wake until there are tasks", async () => {
    fakeTimeouts();
    const { requests, asked, answer, wait } = held();
    const waiting = wait("a");
    expect([requests.size, requests.has("a"), requests.has("b"), asked]).toEqual([1, true, false, []]);
    await answer();
    await settled();
    expect(asked).toEqual([]);
    requests.wake();
    requests.wake();
    await answer([leased("l1")]);
    expect(await waiting).toEqual([leased("l1")]);
    expect([requests.size, requests.has("a"), vi.getTimerCount()]).toEqual([0, false, 0]);
    requests.wake();
    await settled();
    expect(asked).toEqual([]);
  });

  it("ends without tasks after its time", async () => {
    fakeTimeouts();
    const { requests } = held();
    const waiting = requests.wait({ workerId: "a" }, 5000, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(4999);
    expect(requests.size).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toEqual([]);
    expect(requests.size).toBe(0);
  });

  it("ends without tasks if its worker sends another one", async () => {
    const { requests, answer, wait, returned } = held();
    const [first, other] = [wait("a"), wait("b")];
    const second = wait("a");
    expect(await first).toEqual([]);
    expect(requests.size).toBe(2);
    await answer([leased("of b")]);
    await answer([leased("of a")]);
    expect([await other, await second, returned]).toEqual([[leased("of b")], [leased("of a")], []]);
  });

  it("ends when its signal aborts, and then no other one does", async () => {
    fakeTimeouts();
    const { requests, answer, wait } = held();
    await expect(wait("a", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(requests.size).toBe(0);
    const first = new AbortController();
    const waiting = wait("a", first.signal);
    first.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect([requests.size, vi.getTimerCount()]).toEqual([0, 0]);
    await settled();
    const second = new AbortController();
    const served = wait("a", second.signal);
    await answer([leased("l1")]);
    expect(await served).toHaveLength(1);
    const third = wait("a");
    second.abort(new Error("too late"));
    expect(requests.has("a")).toBe(true);
    requests.cancel("a");
    expect(await third).toEqual([]);
  });

  it("rejects if it cannot be served", async () => {
    const { requests, asked, wait } = held();
    const waiting = wait("a");
    await settled();
    asked[0]?.answer.reject(new Error("no database"));
    await expect(waiting).rejects.toThrow("no database");
    expect(requests.size).toBe(0);
  });

  it("has its tasks given back if it ended meanwhile", async () => {
    const { requests, answer, wait, returned, asked } = held();
    const first = wait("a");
    await settled();
    const second = wait("a");
    await answer([leased("l1"), leased("l2")]);
    expect([await first, returned]).toEqual([[], ["l1", "l2"]]);
    requests.cancel("a");
    await answer([]);
    expect([await second, returned, asked]).toEqual([[], ["l1", "l2"], []]);
  });

  it("is served after the one before it, never at the same time", async () => {
    const { requests, asked, answer, wait } = held();
    const first = wait("a");
    await settled();
    const second = wait("b");
    requests.wake();
    await settled();
    expect(asked.map(({ request }) => request.workerId)).toEqual(["a"]);
    await answer([leased("l1")]);
    expect(asked.map(({ request }) => request.workerId)).toEqual(["b"]);
    await answer([leased("l2")]);
    expect([await first, await second]).toEqual([[leased("l1")], [leased("l2")]]);
  });
});

it("a request is served however soon it comes after another one", async () => {
  const requests = new LeaseRequests({ serve: async () => [leased("l")], giveBack: () => Promise.resolve() });
  const { signal } = new AbortController();
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    await requests.wait({ workerId: "a" }, NO_END, signal);
    for (let i = 0; i < microtasks; i++) await Promise.resolve();
    const next = requests.wait({ workerId: "b" }, NO_END, signal);
    await settled();
    expect(requests.size).toBe(0);
    await next;
  }
});

describe("a request that takes what is there", () => {
  it("is served before those that wait, and ends without tasks if there are none", async () => {
    const { requests, asked, answer, wait } = held();
    const waiting = wait("a");
    const taken = requests.take({ workerId: "b", maxHeld: 3 });
    await settled();
    expect(asked.map(({ request }) => request)).toMatchObject([{ workerId: "b", maxHeld: 3 }]);
    await answer();
    expect(await taken).toEqual([]);
    expect(asked.map(({ request }) => request.workerId)).toEqual(["a"]);
    await answer([leased("l1")]);
    expect(await waiting).toHaveLength(1);
    const again = requests.take({ workerId: "b" });
    await answer([leased("l2")]);
    expect([await again, requests.size]).toEqual([[leased("l2")], 0]);
    requests.wake();
    await settled();
    expect(asked).toEqual([]);
  });

  it("limits the request of its worker that waits, which goes on", async () => {
    const { requests, asked, answer, wait } = held();
    const waiting = wait("a");
    await settled();
    const taken = requests.take({ workerId: "a", maxHeld: 7 });
    // The one that waits is being served.
    await answer();
    await answer();
    expect([await taken, requests.size]).toEqual([[], 1]);
    expect(asked.map(({ request }) => request)).toMatchObject([{ workerId: "a", maxHeld: 7 }]);
    await answer([leased("l1")]);
    expect(await waiting).toHaveLength(1);
  });

  it("rejects if it cannot be served", async () => {
    const { requests, asked, wait, answer } = held();
    const taken = requests.take({ workerId: "a" });
    await settled();
    asked.shift()?.answer.reject(new Error("no database"));
    await expect(taken).rejects.toThrow("no database");
    const waiting = wait("a");
    await answer([leased("l1")]);
    expect(await waiting).toHaveLength(1);
  });

  it("ends with its worker, whose tasks are given back; those of others go on", async () => {
    const { requests, answer, returned, wait } = held();
    const [taken, waiting] = [requests.take({ workerId: "a" }), wait("a")];
    const [other, late] = [requests.take({ workerId: "b" }), wait("b")];
    await settled();
    requests.cancel("a");
    expect([await taken, await waiting]).toEqual([[], []]);
    await answer([leased("l1")]);
    expect(returned).toEqual(["l1"]);
    await answer([leased("l2")]);
    await answer([leased("l3")]);
    expect([await other, await late]).toEqual([[leased("l2")], [leased("l3")]]);
  });
});
