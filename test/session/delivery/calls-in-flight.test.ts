import { describe, expect, it } from "vitest";
import { CallsInFlight } from "../../../src/session/delivery/calls-in-flight.js";
import { Delivery } from "../../../src/session/delivery/delivery.js";
import { SessionError } from "../../../src/session/errors.js";

const REASON = new SessionError("call_aborted", "for a test");

function createCalls() {
  const { attempts } = new Delivery(() => ({ children: 0, ownReward: undefined }));
  return { calls: new CallsInFlight(attempts), attempts };
}

describe("a retry of a call in flight", () => {
  it.each([
    ["with the same key is superseding", "key", "key", [0, 1], "call_superseded"],
    ["without a key may be another sample", undefined, undefined, [0, 1], undefined],
    ["with another key is another request", "key", "other", [0, 1], undefined],
    ["that arrives late is not superseding", "key", "key", [2, 1], undefined],
    ["with the same count is not superseding", "key", "key", [1, 1], undefined],
  ])("%s", (_, firstKey, secondKey, [firstCount = 0, secondCount = 0], code) => {
    const { calls } = createCalls();
    const first = calls.begin({ requestKey: "r", retryCount: firstCount, idempotencyKey: firstKey });
    const second = calls.begin({ requestKey: "r", retryCount: secondCount, idempotencyKey: secondKey });
    expect((first.aborting.reason as SessionError | undefined)?.code).toBe(code);
    expect([second.aborting.aborted, calls.size]).toEqual([false, 2]);
  });

  it("aborts nothing once the earlier call has ended", () => {
    const { calls } = createCalls();
    const first = calls.begin({ requestKey: "r", retryCount: 0, idempotencyKey: "key" });
    calls.recorded(first, 0);
    calls.end(first);
    calls.begin({ requestKey: "r", retryCount: 1, idempotencyKey: "key" });
    expect([first.aborting.aborted, calls.size]).toEqual([false, 1]);
  });
});

describe("calls in flight", () => {
  it("fail if they end without a record", () => {
    const { calls, attempts } = createCalls();
    const [recorded, failed] = [0, 1].map(() => calls.begin({ requestKey: "r", retryCount: 0 }));
    if (!recorded || !failed) throw new Error("two calls began");
    calls.recorded(recorded, 0);
    calls.end(recorded);
    expect(attempts.hasFailed).toBe(false);
    calls.end(failed);
    expect([attempts.hasFailed, failed.attempt.outcome, recorded.attempt.outcome]).toEqual([true, "failed", 0]);
  });

  it("are waited for until the last one has ended", async () => {
    const { calls } = createCalls();
    expect(await calls.waitIdle(0)).toBe(true);
    const [first, second] = ["a", "b"].map((requestKey) => calls.begin({ requestKey, retryCount: 0 }));
    if (!first || !second) throw new Error("two calls began");
    expect(await calls.waitIdle(0)).toBe(false);
    let isIdle: boolean | undefined;
    const waiting = calls.waitIdle(Number.POSITIVE_INFINITY).then((idle) => (isIdle = idle));
    calls.end(first);
    await Promise.resolve();
    expect(isIdle).toBeUndefined();
    calls.end(second);
    expect(await waiting).toBe(true);
  });

  it("are aborted all at once, and those that were not recorded are counted", async () => {
    const { calls } = createCalls();
    expect(await calls.abortAll(REASON)).toBe(0);
    const begun = ["a", "b", "c"].map((requestKey) => calls.begin({ requestKey, retryCount: 0 }));
    if (begun[0]) calls.recorded(begun[0], 0);
    let count: number | undefined;
    const aborting = calls.abortAll(REASON).then((aborted) => (count = aborted));
    expect(begun.map((call) => call.aborting.reason)).toEqual([REASON, REASON, REASON]);
    await Promise.resolve();
    expect(count).toBeUndefined();
    for (const call of begun) calls.end(call);
    expect(await aborting).toBe(2);
  });
});
