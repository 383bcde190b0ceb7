import { expect, it, vi } from "vitest";
import { Session } from "../../src/session/session.js";
import { SessionEvents } from "../../src/session/session-events.js";
import { SharedPool } from "../../src/session/shared-pool.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { turn, user } from "../helpers/turn.js";

/** Returns a session with two interactions and what its events say. */
function observe() {
  const events = new SessionEvents();
  const seen: unknown[][] = [];
  events.on("over", ({ id }, outcome) => seen.push([id, outcome]));
  events.on("reward", ({ id }, reward, scope) => seen.push([id, reward, scope]));
  const session = new Session({ id: "s", taskId: "task", events });
  const local = new LocalSession(session);
  for (const interactionId of ["a", "b"]) local.record({ ...turn([user(interactionId)], [1], [2]), interactionId });
  return { session, seen };
}

it("tells a reward when it is set for the first time or to another value", () => {
  const { session, seen } = observe();
  const rewarded = [1, 1, 2].map((reward) => session.setReward(reward, "a"));
  expect([rewarded, session.setReward(1)]).toEqual([["a", "a", "a"], "b"]);
  for (const reward of [0, 0, 3]) session.setSessionReward(reward);
  expect(seen).toEqual([
    ["s", 1, "interaction"],
    ["s", 2, "interaction"],
    ["s", 1, "interaction"],
    ["s", 0, "session"],
    ["s", 3, "session"],
  ]);
  expect([session.data.rewardCount, session.sessionReward]).toEqual([2, 3]);
});

it("has no reward until the session or one of its interactions gets one", () => {
  const [{ session: first }, { session: second }] = [observe(), observe()];
  expect(first.rewardsMissing).toBe(true);
  first.setReward(0);
  second.setSessionReward(0);
  expect([first.rewardsMissing, second.rewardsMissing]).toEqual([false, false]);
});

it("tells the end of a session once, with the number of its interactions then", () => {
  const { session, seen } = observe();
  expect([session.end(), session.end("deleted")]).toEqual([2, 2]);
  session.free("expired");
  expect(seen).toEqual([["s", "ended"]]);
  const { session: expired, seen: seenOfExpired } = observe();
  expired.free("expired");
  expect(seenOfExpired).toEqual([["s", "expired"]]);
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, -3.5e38])(
  "refuses the reward %d, and none that fits a float32",
  (reward) => {
    const { session } = observe();
    const refusal = expect.objectContaining({ code: "invalid_value", param: "reward" }) as Error;
    expect(() => session.setReward(reward)).toThrow(refusal);
    expect(() => session.setSessionReward(reward)).toThrow(refusal);
    session.setReward(-3.4028234663852886e38);
  },
);

it("counts the memory of a shared value once, until its last user releases it", () => {
  const tally = { bytes: 0 };
  const pool = new SharedPool<string>((text) => text.length, tally);
  const create = vi.fn<() => string>(() => "four");
  expect([pool.acquire("k", create), pool.acquire("k", create), pool.get("k")]).toEqual(["four", "four", "four"]);
  expect([create.mock.calls.length, pool.size, tally.bytes]).toEqual([1, 1, 4]);
  pool.release("k");
  pool.release("other");
  expect([pool.get("k"), tally.bytes]).toEqual(["four", 4]);
  pool.release("k");
  expect([pool.get("k"), pool.size, tally.bytes]).toEqual([undefined, 0, 0]);
});
