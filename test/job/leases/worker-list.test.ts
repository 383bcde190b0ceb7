import { expect, it } from "vitest";
import { WorkerList } from "../../../src/job/leases/worker-list.js";
import { pausedClock } from "./paused-clock.js";

it("knows who called within a time", () => {
  const clock = pausedClock();
  const list = new WorkerList();
  expect([list.active(40), list.hasAlive(40)]).toEqual([1, false]);
  list.add("a", "first");
  clock.now += 10_000;
  list.add("b", "second");
  clock.now += 30_000;
  expect([list.active(40), list.active(39), list.active(29)]).toEqual([2, 1, 1]);
  expect([list.hasAlive(30), list.hasAlive(29)]).toEqual([true, false]);
  expect(list.touch("a")).toBe(true);
  expect(list.hasAlive(0)).toBe(true);
  expect(list.all()).toEqual([
    { id: "a", name: "first", lastCall: clock.now },
    { id: "b", name: "second", lastCall: clock.now - 30_000 },
  ]);
  expect(list.touch("c")).toBe(false);
  list.remove("a");
  expect([list.touch("a"), list.nameOf("a"), list.nameOf("b")]).toEqual([false, "a", "second"]);
});

it("awaits a worker from before a restart until it registers, ends, or is silent for too long", () => {
  const clock = pausedClock();
  const list = new WorkerList();
  for (const id of ["a", "b", "c"]) list.expect(id);
  expect(list.all()).toEqual([]);
  list.remove("a");
  list.add("b", "second");
  list.remove("b");
  clock.now += 5000;
  expect([list.hasAlive(5), list.hasAlive(4)]).toEqual([true, false]);
  list.remove("c");
  expect(list.hasAlive(5)).toBe(false);
});
