import { expect, it } from "vitest";
import { Recent } from "../../src/server/memory/recent.js";
import type { Session } from "../../src/session/session.js";

const startSession = () => ({ lifecycle: { freed: false } }) as Session;

interface Item {
  readonly name: string;
  readonly bytes: number;
}

function recent(maxBytes: number) {
  const freed: string[] = [];
  const all = new Recent<Item>(
    maxBytes,
    ({ bytes }) => bytes,
    ({ name }) => void freed.push(name),
  );
  return { all, freed };
}

const item = (name: string, bytes = 10): Item => ({ name, bytes });

it("frees an item that a new one continues, and the oldest of more than four", () => {
  const { all, freed } = recent(1000);
  const session = startSession();
  const first = item("first");
  all.forSession(session).add(first);
  all.forSession(session).add(item("second"), first);
  expect(freed).toEqual(["first"]);
  for (const name of ["3", "4", "5", "6"]) all.forSession(session).add(item(name));
  expect(freed).toEqual(["first", "second"]);
  expect(all.forSession(session).items.map(({ name }) => name)).toEqual(["6", "5", "4", "3"]);
});

it("frees the items of sessions that are dropped for lack of memory, freed, or cleared", () => {
  const { all, freed } = recent(100);
  const [old, next, last] = [startSession(), startSession(), startSession()];
  all.forSession(old).add(item("old", 60));
  all.forSession(next).add(item("next", 60));
  expect(freed).toEqual(["old"]);
  Object.assign(next.lifecycle, { freed: true });
  all.sweep();
  expect(freed).toEqual(["old", "next"]);
  all.forSession(last).add(item("last"));
  all.clear();
  expect(freed).toEqual(["old", "next", "last"]);
});

it("keeps the items of a session that was freed until the next sweep", () => {
  const { all, freed } = recent(100);
  const session = startSession();
  const kept = item("kept");
  all.forSession(session).add(kept);
  Object.assign(session.lifecycle, { freed: true });
  all.forSession(session).add(item("new"), kept);
  expect(freed).toEqual([]);
});

it("does not free an item that is taken", () => {
  const { all, freed } = recent(100);
  const session = startSession();
  const [kept, taken] = [item("kept"), item("taken")];
  all.forSession(session).add(kept);
  all.forSession(session).add(taken);
  all.forSession(session).take(taken);
  expect(all.forSession(session).items).toEqual([kept]);
  expect(all.bytes).toBeLessThan(20);
  all.clear();
  expect(freed).toEqual(["kept"]);
});
