import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WorkerReturns } from "../../../src/gateway/contact/worker-returns.js";

/** Tests how long requests wait for an absent worker. The test advances the clock. */

const LIMIT = 3000;

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

function setUp({ milliseconds = LIMIT, poll = () => Promise.resolve() } = {}) {
  const polled = vi.fn<() => Promise<void>>(poll);
  const returns = new WorkerReturns({ milliseconds, poll: polled });
  onTestFinished(() => returns.close());
  const wait = (signal = new AbortController().signal) => {
    const state = { ended: "no" };
    returns.wait("one", signal).then(
      () => (state.ended = "returned"),
      (error: Error) => (state.ended = error.message),
    );
    return state;
  };
  return { returns, polled, wait };
}

describe("a request for an absent worker", () => {
  it("waits until the worker returns", async () => {
    const { returns, wait } = setUp();
    returns.left("one");
    returns.left("two");
    const waits = [wait(), wait()];
    await pass(LIMIT - 1);
    expect([waits.map(({ ended }) => ended), returns.waiting, returns.tags]).toEqual([["no", "no"], 2, ["one", "two"]]);
    returns.returned("one");
    await pass(0);
    expect([waits.map(({ ended }) => ended), returns.waiting]).toEqual([["returned", "returned"], 0]);
    expect([returns.isAbsent("one"), returns.isAbsent("two")]).toEqual([false, true]);
  });

  it("waits up to the limit, which further reports do not extend", async () => {
    const { returns, wait } = setUp();
    returns.left("one");
    await pass(LIMIT / 2);
    const state = wait();
    returns.left("one");
    await pass(LIMIT / 2 - 1);
    expect([state.ended, returns.isAbsent("one")]).toEqual(["no", true]);
    await pass(1);
    expect([state.ended, returns.isAbsent("one")]).toEqual(["returned", false]);
  });

  it("has the whole limit again if the worker returned and left once more", async () => {
    const { returns, wait } = setUp();
    returns.left("one");
    await pass(LIMIT - 1);
    returns.returned("one");
    returns.left("one");
    const state = wait();
    await pass(LIMIT - 1);
    expect([state.ended, returns.isAbsent("one")]).toEqual(["no", true]);
  });

  it("stops waiting when its client disconnects, while the others go on", async () => {
    const { returns, polled, wait } = setUp();
    returns.left("one");
    const client = new AbortController();
    const [left, other] = [wait(client.signal), wait()];
    client.abort(new Error("disconnected"));
    await pass(0);
    expect([left.ended, other.ended, returns.waiting]).toEqual(["disconnected", "no", 1]);
    const late = wait(client.signal);
    await pass(0);
    expect([late.ended, returns.waiting]).toEqual(["disconnected", 1]);
    await pass(500);
    expect(polled).toHaveBeenCalledTimes(1);
  });

  it("does not wait for a worker that is not absent, nor without a limit", async () => {
    const { returns, wait } = setUp({ milliseconds: 0 });
    returns.left("one");
    const state = wait();
    await pass(0);
    expect([state.ended, returns.tags]).toEqual(["returned", []]);
  });

  it("is released when the gateway stops", async () => {
    const { returns, polled, wait } = setUp();
    returns.left("one");
    const state = wait();
    returns.close();
    await pass(0);
    expect([state.ended, returns.tags]).toEqual(["returned", []]);
    await pass(LIMIT);
    expect([state.ended, returns.tags, polled.mock.calls.length]).toEqual(["returned", [], 0]);
  });
});

it("a worker that is not absent may return", () => {
  const { returns } = setUp();
  returns.returned("one");
  expect(returns.tags).toEqual([]);
});

describe("the addresses of absent workers", () => {
  it("are not polled any more once the last request has gone", async () => {
    const { returns, polled, wait } = setUp();
    returns.left("one");
    const client = new AbortController();
    wait(client.signal);
    await pass(500);
    client.abort(new Error("disconnected"));
    await pass(1500);
    expect([polled.mock.calls.length, returns.isAbsent("one")]).toEqual([1, true]);
  });

  it("are polled twice a second, only while requests wait", async () => {
    const { returns, polled, wait } = setUp();
    returns.left("one");
    await pass(1000);
    expect(polled).toHaveBeenCalledTimes(0);
    wait();
    wait();
    await pass(1000);
    expect(polled).toHaveBeenCalledTimes(2);
    returns.returned("one");
    await pass(1000);
    expect(polled).toHaveBeenCalledTimes(2);
    returns.left("one");
    wait();
    await pass(500);
    expect(polled).toHaveBeenCalledTimes(3);
  });

  it("are not polled again before the poll in progress ends", async () => {
    const ends: (() => void)[] = [];
    const { returns, polled, wait } = setUp({ poll: () => new Promise((resolve) => ends.push(resolve)) });
    returns.left("one");
    wait();
    await pass(1500);
    expect(polled).toHaveBeenCalledTimes(1);
    ends[0]?.();
    await pass(500);
    expect(polled).toHaveBeenCalledTimes(2);
  });
});
