import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, test, vi } from "vitest";
import { ExportLeases } from "../../../src/session/export/export-leases.js";
import { Lifecycle } from "../../../src/session/lifecycle.js";
import { Session } from "../../../src/session/session.js";
import type { SessionRecords, StoredLease } from "../../../src/session/stored/session-records.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A session as leases see it, with its export held. */
function heldSession(): Session {
  const lifecycle = new Lifecycle();
  lifecycle.end();
  lifecycle.beginExport();
  lifecycle.endExport("held");
  return { lifecycle } as Session;
}

function leasesOf(seal: (sessions: readonly Session[]) => void): ExportLeases {
  return new ExportLeases({ seal, *all() {}, byNumber: () => undefined, numberOf: () => undefined });
}

test.each([{ shards: 1 }, { shards: 3 }])("taken exports keep no session in memory (%o)", async ({ shards }) => {
  // As without retention: the first shard that is taken frees the session.
  const leases = leasesOf((sessions) => {
    for (const { lifecycle } of sessions) lifecycle.free("exported");
  });
  const grantAndTake = (): WeakRef<Session> => {
    const session = heldSession();
    const parts = Array.from({ length: shards }, (_, shard) => ({ shards, shard }));
    for (const part of parts) leases.grant([session], { milliseconds: 60_000, id: `b-${part.shard}`, part });
    for (const { shard } of parts) expect(leases.take(`b-${shard}`)).toBe(true);
    return new WeakRef(session);
  };
  const session = grantAndTake();
  expect(leases.size).toBe(0);
  // Code that V8 is compiling for other tests may hold an object for some collections.
  await vi.waitFor(() => {
    collect();
    expect(session.deref() === undefined).toBe(true);
  });
});

describe("a lease of an export", () => {
  const MINUTE = 60_000;
  /** No process has this id: it is larger than Linux and macOS allow. */
  const NO_PROCESS = 2 ** 30;

  function hold(): Session {
    const session = new Session({ id: "task-0", taskId: "task" });
    session.lastAccessAt = 0;
    session.end();
    exportHeld(session);
    return session;
  }

  function exportHeld(session: Session): void {
    session.lifecycle.beginExport();
    session.endExport("held");
  }

  function open() {
    const sealed: unknown[] = [];
    const seal = (...args: unknown[]) => void sealed.push(args);
    const leases = new ExportLeases({ seal, *all() {}, byNumber: () => undefined, numberOf: () => undefined });
    return { leases, sealed };
  }

  it("frees the sessions when it is acknowledged, once", () => {
    const { leases, sealed } = open();
    const sessions = [hold(), hold()];
    leases.grant(sessions, { milliseconds: MINUTE, id: "b" });
    expect([leases.acknowledge("other"), leases.acknowledge("b"), leases.acknowledge("b")]).toEqual([
      "unknown",
      "acknowledged",
      "unknown",
    ]);
    expect(sessions.map(({ state, lifecycle }) => [state, lifecycle.freed])).toEqual([
      ["exported", true],
      ["exported", true],
    ]);
    expect([leases.size, sealed]).toEqual([0, []]);
  });

  it.each([
    ["another export of it is packed", (session: Session) => session.lifecycle.beginExport()],
    ["the archive reads it", (session: Session) => void (session.keptUntil = Date.now() + MINUTE)],
  ])("retains an acknowledged session while %s", (_, use) => {
    const { leases, sealed } = open();
    const session = hold();
    leases.grant([session], { milliseconds: MINUTE, id: "b" });
    use(session);
    expect(leases.acknowledge("b")).toBe("acknowledged");
    const { freed, acknowledged } = session.lifecycle;
    expect([freed, acknowledged, sealed]).toEqual([false, true, [[[session]]]]);
  });

  it("ends when its time is over: the session waits for another export, and a late acknowledgement is refused", () => {
    const { leases } = open();
    const session = hold();
    const before = Date.now();
    leases.grant([session], { milliseconds: MINUTE, id: "b" });
    leases.reap(before + MINUTE - 1);
    expect([session.state, leases.size]).toEqual(["exported", 1]);
    expect(leases.acknowledge("b", Date.now() + MINUTE)).toBe("ended");
    expect([session.state, session.lifecycle.held, leases.size]).toEqual(["ended", false, 0]);
    expect(session.lastAccessAt).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ["ended", "has ended", NO_PROCESS],
    ["acknowledged", "runs", process.pid],
    ["acknowledged", "is not known", undefined],
  ])("is %s by an acknowledgement if the process of its reader %s", (acknowledgement, _, readerPid) => {
    const { leases } = open();
    leases.grant([hold()], { milliseconds: MINUTE, readerPid, id: "b" });
    expect(leases.acknowledge("b")).toBe(acknowledgement);
  });

  it("is withdrawn if its answer was not delivered, and then unknown", () => {
    const { leases } = open();
    const session = hold();
    leases.grant([session], { milliseconds: MINUTE, id: "b" });
    expect([leases.withdraw("b"), leases.withdraw("b"), leases.acknowledge("b")]).toEqual([true, false, "unknown"]);
    expect(session.state).toBe("ended");
  });

  it("is made final without an acknowledgement: its sessions are retained with the shard", () => {
    const { leases, sealed } = open();
    const [session, freed] = [hold(), hold()];
    const part = { shards: 2, shard: 1 };
    leases.grant([session, freed], { milliseconds: MINUTE, id: "b", part });
    freed.free("exported");
    expect([leases.take("b"), leases.take("b")]).toEqual([true, false]);
    expect([session.state, session.lifecycle.held, sealed]).toEqual(["exported", false, [[[session], part]]]);
  });

  it("of a shard frees the sessions once all shards are acknowledged, in any order", () => {
    const { leases } = open();
    const session = hold();
    const grant = (shards: number, shard: number, id: string) =>
      leases.grant([session], { milliseconds: MINUTE, id, part: { shards, shard } });
    for (const shard of [0, 1, 2]) grant(3, shard, `b-${shard}`);
    grant(2, 0, "other");
    for (const id of ["b-2", "other", "b-0"]) expect(leases.acknowledge(id)).toBe("acknowledged");
    expect([leases.acknowledge("b-0"), session.lifecycle.freed]).toEqual(["unknown", false]);
    expect([leases.acknowledge("b-1"), session.lifecycle.freed]).toEqual(["acknowledged", true]);
    expect(leases.size).toBe(4);
    leases.reap(Date.now() + MINUTE);
    expect([leases.size, leases.acknowledge("b-1")]).toEqual([0, "unknown"]);
  });

  it("of a shard that was acknowledged in time counts while another shard can be acknowledged", () => {
    const { leases } = open();
    const session = hold();
    const parts = [0, 1].map((shard) => ({ shards: 2, shard }));
    leases.grant([session], { milliseconds: MINUTE, id: "first", part: parts[0] });
    leases.grant([session], { milliseconds: 3 * MINUTE, id: "second", part: parts[1] });
    leases.acknowledge("first");
    expect(leases.acknowledge("second", Date.now() + 2 * MINUTE)).toBe("acknowledged");
    expect(session.lifecycle.freed).toBe(true);
  });

  it("of an export that was repeated holds the session until both are over; one acknowledgement is enough", () => {
    const { leases } = open();
    const [left, acknowledged] = [hold(), hold()];
    for (const [name, session] of Object.entries({ left, acknowledged })) {
      leases.grant([session], { milliseconds: MINUTE, id: `${name} 1` });
      exportHeld(session);
      leases.grant([session], { milliseconds: 2 * MINUTE, id: `${name} 2` });
    }
    expect(leases.acknowledge("acknowledged 1")).toBe("acknowledged");
    const states = () => [left.state, left.lifecycle.held, acknowledged.lifecycle.freed];
    leases.reap(Date.now() + MINUTE);
    expect(states()).toEqual(["exported", true, true]);
    leases.reap(Date.now() + 2 * MINUTE);
    expect(states()).toEqual(["ended", false, true]);
    const late = ["left 1", "left 2", "acknowledged 2"].map((id) => leases.acknowledge(id));
    expect(late).toEqual(["ended", "ended", "unknown"]);
  });

  it("that is granted again counts once", () => {
    const { leases } = open();
    const session = hold();
    for (const milliseconds of [MINUTE, 2 * MINUTE]) leases.grant([session], { milliseconds, id: "b" });
    leases.reap(Date.now() + MINUTE);
    expect([leases.size, session.lifecycle.held]).toEqual([1, true]);
    expect(leases.withdraw("b")).toBe(true);
    expect(session.state).toBe("ended");
  });

  it("is stored until it is over, and goes on in the next process; sessions without one wait for another export", () => {
    const stored = new Map<string, StoredLease>();
    const records = {
      *readLeases() {
        yield* stored;
      },
      saveLease: (id: string, lease: StoredLease) => void stored.set(id, structuredClone(lease)),
      removeLease: (id: string) => void stored.delete(id),
    } as unknown as SessionRecords;
    const sessions = [hold(), hold(), hold()];
    const registry = {
      seal: () => undefined,
      *all() {
        yield* sessions;
      },
      byNumber: (number: number) => sessions[number],
      numberOf: (session: Session) => (sessions.includes(session) ? sessions.indexOf(session) : undefined),
    };
    const before = new ExportLeases(registry, records);
    expect(sessions.map(({ state }) => state)).toEqual(["ended", "ended", "ended"]);
    const [first, second, last] = sessions as [Session, Session, Session];
    for (const session of sessions) exportHeld(session);
    const part = { shards: 2, shard: 1 };
    before.grant([first], { milliseconds: 2 * MINUTE, id: "later", readerPid: process.pid });
    before.grant([first, second], { milliseconds: MINUTE, id: "sooner", part });
    before.grant([second], { milliseconds: 0, id: "over" });
    before.reap();
    const deleted = hold();
    before.grant([deleted, last], { milliseconds: MINUTE, id: "withdrawn" });
    expect(stored.get("withdrawn")?.sessions).toEqual([2]);
    before.withdraw("withdrawn");
    exportHeld(last);
    last.lastAccessAt = 0;
    expect(stored.get("later")).toMatchObject({
      sessions: [0],
      readerPid: process.pid,
      acknowledged: false,
      over: false,
    });
    expect(stored.get("sooner")).toMatchObject({ sessions: [0, 1], part });
    expect([...stored.keys()].toSorted()).toEqual(["later", "over", "sooner"]);
    const after = new ExportLeases(registry, records);
    expect(sessions.map(({ state }) => state)).toEqual(["exported", "exported", "ended"]);
    expect(last.lastAccessAt).toBeGreaterThan(0);
    expect([after.size, after.acknowledge("over"), after.acknowledge("later")]).toEqual([2, "ended", "acknowledged"]);
    expect([first.lifecycle.freed, [...stored.keys()].toSorted()]).toEqual([true, ["over", "sooner"]]);
  });

  it("is remembered after its end with the last ten thousand", () => {
    const { leases } = open();
    for (let number = 0; number <= 10_000; number++) leases.grant([hold()], { milliseconds: 0, id: `b-${number}` });
    leases.reap();
    expect(["b-0", "b-1", "b-10000"].map((id) => leases.acknowledge(id))).toEqual(["unknown", "ended", "ended"]);
  });
});
