import { expect, it } from "vitest";
import { SharedRefresh } from "../../src/gateway/shared-refresh.js";
import { until } from "../helpers/until.js";

/** Each refresh lasts until the test calls its entry of `ends`. */
function setUp() {
  const ends: (() => void)[] = [];
  const shared = new SharedRefresh(() => new Promise((resolve) => ends.push(resolve)));
  return { shared, ends };
}

it("shares a refresh among callers that come during it", async () => {
  const { shared, ends } = setUp();
  const waiting = [shared.run(), shared.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await Promise.all(waiting);
  void shared.run();
  expect(ends).toHaveLength(2);
});

it("begins another refresh after the one in progress, which may have read too early", async () => {
  const { shared, ends } = setUp();
  const first = shared.run();
  const next = [shared.runNext(), shared.runNext()];
  expect(shared.isNextRunning).toBe(true);
  ends[0]?.();
  await first;
  await until(() => ends.length === 2);
  ends[1]?.();
  await Promise.all(next);
  expect([ends.length, shared.isNextRunning]).toEqual([2, false]);
});
