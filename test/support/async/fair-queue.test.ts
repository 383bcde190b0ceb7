import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue } from "../../../src/support/async/fair-queue.js";

/** A queue and the names of its waiters in the order in which they were served or rejected. */
function observedQueue() {
  const queue = new FairQueue<string>();
  const log: string[] = [];
  const wait = (key: string, name: string, signal?: AbortSignal) =>
    queue.wait(key, signal).then(
      (value) => void log.push(`${name} got ${value}`),
      (error: Error) => void log.push(`${name} failed: ${error.message}`),
    );
  return { queue, log, wait };
}

describe("a fair queue", () => {
  it("serves the waiters of one key in their order of arrival", async () => {
    const { queue, log, wait } = observedQueue();
    const all = ["a1", "a2", "a3"].map((name) => wait("a", name));
    expect(queue.length).toBe(3);
    for (const value of ["x", "y", "z"]) expect(queue.serve(value)).toBe(true);
    await Promise.all(all);
    expect(log).toEqual(["a1 got x", "a2 got y", "a3 got z"]);
    expect(queue.length).toBe(0);
  });

  it("serves keys in turn, even if one of them has many waiters", async () => {
    const { queue, log, wait } = observedQueue();
    const waiters = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
    const all = waiters.map((name) => wait(name.slice(0, 1), name));
    for (const _ of waiters) queue.serve("x");
    await Promise.all(all);
    expect(log.map((line) => line.slice(0, 2))).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  it("puts a key without waiters behind the others when it waits again", async () => {
    const { queue, log, wait } = observedQueue();
    const all = [wait("a", "a1"), wait("b", "b1"), wait("b", "b2")];
    queue.serve("x");
    all.push(wait("a", "a2"));
    for (let n = 0; n < 3; n++) queue.serve("x");
    await Promise.all(all);
    expect(log.map((line) => line.slice(0, 2))).toEqual(["a1", "b1", "a2", "b2"]);
  });

  it("returns false if nobody waits", () => {
    expect(new FairQueue<string>().serve("x")).toBe(false);
  });

  it("does not queue a waiter whose signal is already aborted", async () => {
    const { queue, log, wait } = observedQueue();
    await wait("a", "a1", AbortSignal.abort(new Error("gone")));
    expect(log).toEqual(["a1 failed: gone"]);
    expect(queue.length).toBe(0);
  });

  it("serves one value to all current waiters, and not to later ones", async () => {
    const { queue, log, wait } = observedQueue();
    const all = [wait("a", "a1"), wait("b", "b1"), wait("a", "a2")];
    queue.serveAll("x");
    await Promise.all(all);
    expect(log.sort()).toEqual(["a1 got x", "a2 got x", "b1 got x"]);
    const later = wait("a", "a3");
    expect(queue.length).toBe(1);
    queue.serve("y");
    await later;
    expect(log.at(-1)).toBe("a3 got y");
  });

  it("rejects all current waiters", async () => {
    const { queue, log, wait } = observedQueue();
    const all = [wait("a", "a1"), wait("b", "b1")];
    queue.rejectAll(new Error("closed"));
    await Promise.all(all);
    expect(log.sort()).toEqual(["a1 failed: closed", "b1 failed: closed"]);
    expect(queue.serve("x")).toBe(false);
  });

  it.each(["served", "rejected"] as const)("leaves no listener on the signal of a %s waiter", async (how) => {
    const { queue, wait } = observedQueue();
    const { signal } = new AbortController();
    const waiting = wait("a", "a1", signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    if (how === "served") queue.serve("x");
    else queue.rejectAll(new Error("closed"));
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

type Step = { readonly do: "wait" | "leave"; readonly key: string; readonly pick: number } | { readonly do: "serve" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("wait" as const), key: fc.constantFrom("a", "b", "c"), pick: fc.nat() }),
  fc.record({ do: fc.constant("leave" as const), key: fc.constant(""), pick: fc.nat() }),
  fc.record({ do: fc.constant("serve" as const) }),
);

/** Waiters as a plain list, and the keys in the order of their turns. */
class Model {
  waiters: { readonly key: string; readonly name: string }[] = [];
  turns: string[] = [];

  add(key: string, name: string): void {
    if (!this.turns.includes(key)) this.turns.push(key);
    this.waiters.push({ key, name });
  }

  remove(name: string): void {
    this.waiters = this.waiters.filter((waiter) => waiter.name !== name);
    this.turns = this.turns.filter((key) => this.waiters.some((waiter) => waiter.key === key));
  }

  serve(): string | undefined {
    const [key] = this.turns;
    const first = this.waiters.find((waiter) => waiter.key === key);
    if (key === undefined || first === undefined) return undefined;
    this.turns = [...this.turns.slice(1), key];
    this.remove(first.name);
    return first.name;
  }
}

describe("a fair queue whose waiters come and leave at random", () => {
  it("serves waiters in the same order as a plain model", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, log, wait } = observedQueue();
        const model = new Model();
        const leave = new Map<string, () => void>();
        const expected: string[] = [];
        const wasServed: [boolean, boolean][] = [];
        const all: Promise<void>[] = [];
        for (const [index, each] of steps.entries()) {
          if (each.do === "wait") {
            const name = `${each.key}${index}`;
            const controller = new AbortController();
            leave.set(name, () => controller.abort(new Error("gone")));
            model.add(each.key, name);
            all.push(wait(each.key, name, controller.signal));
          } else if (each.do === "leave") {
            const leaver = model.waiters[each.pick % Math.max(1, model.waiters.length)];
            if (leaver === undefined) continue;
            model.remove(leaver.name);
            leave.get(leaver.name)?.();
            expected.push(`${leaver.name} failed: gone`);
          } else {
            const served = model.serve();
            if (served !== undefined) expected.push(`${served} got x`);
            wasServed.push([queue.serve("x"), served !== undefined]);
          }
          expect(queue.length).toBe(model.waiters.length);
        }
        const left = model.waiters.map(({ name }) => `${name} failed: closed`);
        queue.rejectAll(new Error("closed"));
        await Promise.all(all);
        expect(wasServed.filter(([byQueue, byModel]) => byQueue !== byModel)).toEqual([]);
        expect(log.filter((line) => !line.endsWith("closed"))).toEqual(expected);
        expect(log.filter((line) => line.endsWith("closed")).sort()).toEqual(left.sort());
      }),
    );
  });
});
