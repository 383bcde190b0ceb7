import { describe, expect, it } from "vitest";
import { Retention } from "../../../src/session/export/retention.js";
import { Session } from "../../../src/session/session.js";

const MINUTE = 60_000;

/** An exported session whose tokens take this many bytes. */
function exported(bytes: number): Session {
  const session = new Session({ id: "task-0", taskId: "task" });
  Object.defineProperty(session.data.size, "native", { value: bytes });
  session.end();
  session.lifecycle.beginExport();
  session.lifecycle.endExport("taken");
  return session;
}

const freed = (...sessions: readonly Session[]) => sessions.map(({ lifecycle }) => lifecycle.freed);
const later = () => Date.now() + MINUTE;

describe("exported sessions", () => {
  it("are freed when their time is over, and not before", () => {
    const retention = new Retention({ milliseconds: MINUTE, bytes: 1000 });
    const session = exported(10);
    retention.keep([session]);
    retention.sweep(Date.now() + MINUTE / 2);
    expect(freed(session)).toEqual([false]);
    retention.sweep(later());
    expect(freed(session)).toEqual([true]);
    expect(session.state).toBe("exported");
  });

  it("are freed oldest first when they take too many bytes, and no more of them than that needs", () => {
    const retention = new Retention({ milliseconds: MINUTE, bytes: 25 });
    const [first, second, third] = [exported(10), exported(10), exported(10)];
    retention.keep([first, second]);
    expect(freed(first, second)).toEqual([false, false]);
    retention.keep([third]);
    expect(freed(first, second, third)).toEqual([true, false, false]);
  });

  it("may take as many bytes as the limit says", () => {
    const retention = new Retention({ milliseconds: MINUTE, bytes: 20 });
    const sessions = [exported(10), exported(10)];
    retention.keep(sessions);
    expect(freed(...sessions)).toEqual([false, false]);
  });

  it("count once however often they are exported", () => {
    const retention = new Retention({ milliseconds: MINUTE, bytes: 25 });
    const [first, second] = [exported(10), exported(10)];
    for (let time = 0; time < 3; time++) retention.keep([first, second]);
    expect(freed(first, second)).toEqual([false, false]);
  });

  it("make room when they are freed, by time or by another hand", () => {
    const retention = new Retention({ milliseconds: MINUTE, bytes: 25 });
    const [first, second, third] = [exported(20), exported(20), exported(20)];
    retention.keep([first]);
    retention.forget(first);
    retention.keep([second]);
    retention.sweep(later());
    retention.keep([third]);
    expect(freed(first, second, third)).toEqual([false, true, false]);
  });

  it("stay while another export of them is packed, and others are freed in their place", () => {
    const retention = new Retention({ milliseconds: MINUTE, bytes: 25 });
    const [first, second, third] = [exported(10), exported(10), exported(10)];
    retention.keep([first, second]);
    first.lifecycle.beginExport();
    retention.keep([third]);
    expect(freed(first, second, third)).toEqual([false, true, false]);
    retention.sweep(later());
    expect(freed(first, third)).toEqual([false, true]);
    first.lifecycle.endExport("taken");
    retention.sweep(later());
    expect(freed(first)).toEqual([true]);
  });
});

describe("sessions of a batch that is taken shard by shard", () => {
  const limits = { milliseconds: MINUTE, bytes: 5 };

  it("stay whatever they take until each shard was taken, in any order and more than once", () => {
    const retention = new Retention(limits);
    const session = exported(10);
    for (const shard of [2, 0, 2]) retention.keep([session], { shards: 3, shard });
    expect(freed(session)).toEqual([false]);
    retention.keep([session], { shards: 3, shard: 1 });
    expect(freed(session)).toEqual([true]);
  });

  it("are freed when their time is over although a shard is missing", () => {
    const retention = new Retention(limits);
    const session = exported(10);
    retention.keep([session], { shards: 2, shard: 0 });
    retention.sweep(later());
    expect(freed(session)).toEqual([true]);
  });

  it("wait for the missing shards of each division of the batch", () => {
    const retention = new Retention(limits);
    const session = exported(10);
    retention.keep([session], { shards: 2, shard: 0 });
    retention.keep([session], { shards: 3, shard: 0 });
    retention.keep([session], { shards: 2, shard: 1 });
    expect(freed(session)).toEqual([false]);
    for (const shard of [1, 2]) retention.keep([session], { shards: 3, shard });
    expect(freed(session)).toEqual([true]);
  });

  it("let others go that take too much", () => {
    const retention = new Retention(limits);
    const [sharded, whole] = [exported(4), exported(4)];
    retention.keep([sharded], { shards: 2, shard: 0 });
    retention.keep([whole]);
    expect(freed(sharded, whole)).toEqual([false, true]);
  });

  it("are whole with one shard", () => {
    const retention = new Retention(limits);
    const session = exported(10);
    retention.keep([session], { shards: 1, shard: 0 });
    expect(freed(session)).toEqual([true]);
  });
});
