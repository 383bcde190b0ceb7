import { describe, expect, it } from "vitest";
import { type Attempt, identifyRequest } from "../../../src/session/delivery/attempt.js";
import { Delivery } from "../../../src/session/delivery/delivery.js";

/**
 * Runs three attempts at one request in every order of their beginnings and ends. The last one is answered, and the agent continues from
 * it. The agent left the other two, and their connections show nothing.
 */

type Event = readonly ["begin" | "record" | "lose" | "fail", attempt: number];

const ATTEMPTS = [0, 1, 2];
const LAST = 2;

/** Returns every order of events. An attempt ends as recorded, as recorded and known to be undelivered, or as failed. */
function* listOrders(events: readonly Event[] = []): Generator<readonly Event[]> {
  const hasBegun = (attempt: number) => events.some(([, each]) => each === attempt);
  const hasEnded = (attempt: number) => events.some(([kind, each]) => each === attempt && kind !== "begin");
  if (ATTEMPTS.every(hasEnded)) yield events;
  for (const attempt of ATTEMPTS) {
    if (!hasBegun(attempt)) yield* listOrders([...events, ["begin", attempt]]);
    else if (!hasEnded(attempt)) {
      yield* listOrders([...events, ["record", attempt]]);
      if (attempt === LAST) continue;
      yield* listOrders([...events, ["lose", attempt]]);
      yield* listOrders([...events, ["fail", attempt]]);
    }
  }
}

/** Runs the events. Returns the recorded attempts that are not left out, except the last one. */
function listKept(request: string, events: readonly Event[]): number[] {
  const recorded: number[] = [];
  const delivery = new Delivery((index) => ({ children: recorded[index] === LAST ? 1 : 0, ownReward: undefined }));
  const attempts = new Map<number, Attempt>();
  for (const [kind, attempt] of events) {
    const begun = attempts.get(attempt) ?? delivery.attempts.begin(request, attempt);
    attempts.set(attempt, begun);
    if (kind === "fail") delivery.attempts.fail(begun);
    if (kind !== "record" && kind !== "lose") continue;
    const index = recorded.push(attempt) - 1;
    delivery.attempts.record(begun, index);
    if (kind === "lose") delivery.closedEarly(index);
  }
  return recorded.filter((attempt, index) => attempt !== LAST && delivery.leftOut(index) === undefined);
}

const write = (events: readonly Event[]) => events.map(([kind, attempt]) => `${kind} ${attempt}`).join(", ");

describe("attempts at a request, in every order", () => {
  const orders = [...listOrders()];

  it("are left out if the agent continued from a later one with the same idempotency-key", () => {
    const wrong = orders.filter((events) => listKept(identifyRequest("a", "key"), events).length > 0);
    expect(wrong.map(write)).toEqual([]);
    expect(orders.length).toBeGreaterThan(500);
  });

  it("are left out without a key if they arrived before all later ones, and none was answered before they had arrived", () => {
    const all = orders.filter((events) => {
      const answered = events.findIndex(([kind]) => kind === "record");
      return events.every(([kind], at) => kind !== "begin" || at < answered);
    });
    const wrong = all.filter((events) => {
      const begun = events.filter(([kind]) => kind === "begin").map(([, attempt]) => attempt);
      return listKept("a", events).some((attempt) =>
        begun.slice(0, begun.indexOf(attempt)).every((earlier) => earlier < attempt),
      );
    });
    expect(wrong.map(write)).toEqual([]);
    expect(all.length).toBeGreaterThan(100);
  });

  it("are kept without a key if they were answered before their retry, because they may be other samples of the prompt", () => {
    expect(
      listKept("a", [
        ["begin", 0],
        ["record", 0],
        ["begin", 1],
        ["fail", 1],
        ["begin", 2],
        ["record", 2],
      ]),
    ).toEqual([0]);
  });

  it("are kept without a key if they arrived after their retry, because they may be other samples of the prompt", () => {
    expect(
      listKept("a", [
        ["begin", 1],
        ["begin", 0],
        ["record", 0],
        ["fail", 1],
        ["begin", 2],
        ["record", 2],
      ]),
    ).toEqual([0]);
  });

  it("do not take a new call with the same key for a late one", () => {
    const recorded: number[] = [];
    const delivery = new Delivery((index) => ({ children: recorded[index] ?? 0, ownReward: undefined }));
    const request = identifyRequest("a", "key");
    for (const [index, retryCount] of [0, 1, 0].entries()) {
      delivery.attempts.record(delivery.attempts.begin(request, retryCount), index);
    }
    recorded[1] = 1;
    expect([0, 1, 2].map((index) => delivery.leftOut(index))).toEqual(["retried", undefined, undefined]);
  });
});
