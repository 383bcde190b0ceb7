import { describe, expect, it } from "vitest";
import { endSessions, findSelected } from "../../src/session/end-sessions.js";
import type { Session } from "../../src/session/session.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { readKeyTag } from "../../src/session/worker-tag.js";
import { hashText } from "../../src/support/hash-text.js";
import { turn, user } from "../helpers/turn.js";
import { registryOf, TIMEOUT_MILLISECONDS } from "./support/registry.js";

const REQUEST = { requestKey: "request", retryCount: 0 };
const failsWith = (code: string) => expect.objectContaining({ code }) as Error;

describe("the sessions of a registry", () => {
  it("take one slot each, which a cancelled start gives back with its name and key", () => {
    const registry = registryOf();
    expect(registry.grant(-98)).toBe(2);
    const [first, second] = [registry.start({ taskId: "math" }), registry.start({})];
    expect([first.session.id, second.session.id, registry.capacity]).toEqual(["math-0", "task-1", 0]);
    expect(() => registry.start({})).toThrow(failsWith("no_capacity"));
    registry.cancelStart(first.session);
    expect([registry.capacity, first.session.state]).toEqual([1, "expired"]);
    expect(registry.byKeyHash(hashText(first.key))).toBeUndefined();
    expect(registry.byKeyHash(hashText(second.key))).toBe(second.session);
    expect(() => registry.get("math-0")).toThrow(failsWith("session_not_found"));
    expect(registry.start({}).session.id).toBe("task-2");
  });

  it("have the tag of their worker in their ids and keys", () => {
    const registry = registryOf({ workerTag: "w7" });
    const { session, key } = registry.start({ taskId: "math" });
    expect([session.id, readKeyTag(key), registry.workerTag]).toEqual(["math-w7-0", "w7", "w7"]);
  });

  it("are found by number and by state while the registry has them", async () => {
    const registry = registryOf();
    const [active, ended, deleted] = [0, 1, 2].map(() => registry.start({}).session) as [Session, Session, Session];
    ended.end();
    await registry.delete(deleted.id);
    expect([0, 1, 2].map((number) => registry.byNumber(number))).toEqual([active, ended, undefined]);
    expect([active, ended, deleted].map((session) => registry.numberOf(session))).toEqual([0, 1, undefined]);
    expect(registry.countByState()).toEqual({ active: 1, ended: 1, exported: 0, expired: 0 });
    expect(deleted.lifecycle.freed).toBe(true);
  });

  it("of a run are listed by the run, and found by their names in it, while they can be exported", async () => {
    const registry = registryOf();
    const [run, other] = [0, 1].map(() => registry.runKeys.start({ taskId: "math" }).run);
    if (!run || !other) throw new Error("two runs were started");
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => registry.startInRun(run, name));
    const ofOther = registry.startInRun(other, "a");
    registry.start({});
    expect(registry.listRun(run.runId)).toEqual([a, b, c, d]);
    expect(registry.findInRun(run, "a")).toBe(a);
    expect(registry.findInRun(other, "a")).toBe(ofOther);
    expect(registry.findInRun(other, "b")).toBeUndefined();
    a?.free("exported");
    b?.lifecycle.acknowledge();
    await registry.delete(c?.id ?? "");
    expect(registry.listRun(run.runId)).toEqual([d]);
    expect([registry.findInRun(run, "a"), registry.findInRun(run, "c")]).toEqual([a, undefined]);
  });

  it("expire after their time without a call, unless a call, an export or the archive uses them", () => {
    const registry = registryOf();
    const start = () => registry.start({}).session;
    const [unused, ended, called, exporting, kept, exported] = [start(), start(), start(), start(), start(), start()];
    const now = Date.now() + TIMEOUT_MILLISECONDS;
    for (const session of registry.all()) session.lastAccessAt = Date.now();
    ended.end();
    called.calls.begin(REQUEST);
    exporting.end();
    exporting.lifecycle.beginExport();
    kept.keptUntil = now + 1000;
    exported.end();
    exported.lifecycle.beginExport();
    exported.endExport("taken");
    const recent = registry.start({}).session;
    recent.lastAccessAt = now;
    registry.sweep(now);
    const states = [unused, ended, called, exporting, kept, exported, recent].map(({ state }) => state);
    expect(states).toEqual(["expired", "expired", "active", "ended", "active", "exported", "active"]);
    registry.sweep(kept.keptUntil);
    expect(kept.state).toBe("expired");
  });

  it("lose their keys when they expire", () => {
    const registry = registryOf();
    const { key } = registry.start({});
    registry.sweep(Date.now() - 1);
    expect(registry.byKeyHash(hashText(key))).toBeDefined();
    registry.sweep(Date.now() + TIMEOUT_MILLISECONDS);
    expect(registry.byKeyHash(hashText(key))).toBeUndefined();
  });

  it("are forgotten without data only when there are more than a thousand, the oldest first", () => {
    const registry = registryOf();
    registry.grant(1000);
    const sessions = Array.from({ length: 1002 }, () => registry.start({}).session);
    expect(registry.forgetFreed()).toBe(false);
    for (const session of sessions.slice(1)) session.free("expired");
    expect(registry.forgetFreed()).toBe(true);
    const left = [...registry.all()];
    expect([left.length, left[0], left[1]]).toEqual([1000, sessions[0], sessions[3]]);
    expect(registry.forgetFreed()).toBe(false);
  });

  it("are freed before their retention is over until there is enough memory, the oldest first", () => {
    const registry = registryOf();
    const sessions = [0, 1, 2, 3].map(() => registry.start({}).session);
    for (const session of sessions) {
      new LocalSession(session).record(turn([user("a")], [1], [2]));
      session.end();
      session.lifecycle.beginExport();
      session.endExport("taken");
    }
    const [sharded, ...whole] = sessions;
    registry.seal(sharded ? [sharded] : [], { shards: 2, shard: 0 });
    registry.seal(whole);
    const before = registry.bytes;
    registry.freeRetained(() => sessions.filter(({ lifecycle }) => lifecycle.freed).length === 2);
    expect(sessions.map(({ lifecycle }) => lifecycle.freed)).toEqual([false, true, true, false]);
    expect(registry.bytes).toBeLessThan(before);
  });

  it("are deleted only after an export that is being packed", async () => {
    const registry = registryOf();
    const { session } = registry.start({});
    session.end();
    session.lifecycle.beginExport();
    const deleting = registry.delete(session.id);
    await Promise.resolve();
    expect(registry.get(session.id).lifecycle.freed).toBe(false);
    session.endExport("left");
    await deleting;
    expect(session.state).toBe("expired");
    expect(() => registry.get(session.id)).toThrow(failsWith("session_not_found"));
  });
});

describe("a session that is taken over", () => {
  it("has a new key and lease, and its calls are aborted", async () => {
    const registry = registryOf();
    const { session, key } = registry.start({ leaseId: "first" });
    const call = session.calls.begin(REQUEST);
    const takingOver = registry.takeOver(session.id, { fromLeaseId: "first", leaseId: "second" });
    expect(call.aborting.reason).toMatchObject({ code: "call_aborted" });
    session.calls.end(call);
    const newKey = await takingOver;
    expect([session.leaseId, session.takeovers]).toEqual(["second", 1]);
    expect([key, newKey].map((each) => registry.byKeyHash(hashText(each)))).toEqual([undefined, session]);
  });

  it("may be taken over again with the new lease, but not with the former one", async () => {
    const registry = registryOf();
    const { session } = registry.start({ leaseId: "first" });
    await registry.takeOver(session.id, { fromLeaseId: "first", leaseId: "second" });
    await registry.takeOver(session.id, { fromLeaseId: "first", leaseId: "second" });
    await expect(registry.takeOver(session.id, { fromLeaseId: "first", leaseId: "third" })).rejects.toMatchObject({
      code: "session_not_found",
    });
    await registry.takeOver(session.id, {});
    expect([session.leaseId, session.takeovers]).toEqual(["second", 3]);
  });

  it.each([
    ["session_ended", (session: Session) => void session.end()],
    ["session_expired", (session: Session) => session.free("expired")],
    ["session_exported", (session: Session) => session.free("exported")],
  ])("is refused with %s if it is not active", async (code, finish) => {
    const registry = registryOf();
    const { session } = registry.start({});
    finish(session);
    await expect(registry.takeOver(session.id, {})).rejects.toMatchObject({ code });
  });
});

describe("selected sessions", () => {
  it("are those with a selected id, group or run, once each; ids without a session are named", () => {
    const registry = registryOf();
    const ofGroup = registry.start({ groupId: "g" }).session;
    const named = registry.start({ groupId: "other" }).session;
    registry.start({});
    const { run } = registry.runKeys.start({ taskId: "math" });
    const ofRun = registry.startInRun(run, "a");
    const find = (selection: Parameters<typeof findSelected>[1]) => findSelected(registry.all(), selection);
    expect(find({ sessionIds: ["x", named.id, ofGroup.id], groupIds: ["g", "none"], runIds: [run.runId] })).toEqual({
      sessions: [ofGroup, named, ofRun],
      notFound: ["x"],
    });
    expect(find({ groupIds: ["g"] }).sessions).toEqual([ofGroup]);
    expect(find({ runIds: [run.runId] }).sessions).toEqual([ofRun]);
    expect(find({})).toEqual({ sessions: [], notFound: [] });
  });

  it.each([
    [true, 1],
    [false, 0],
  ])("are all ended, and their calls are aborted if that is asked for (%s)", async (abort, incompleteCalls) => {
    const registry = registryOf();
    const [busy, idle] = [registry.start({}).session, registry.start({}).session];
    const call = busy.calls.begin(REQUEST);
    const ending = endSessions([busy, idle], abort);
    expect([busy.state, idle.state, call.aborting.aborted]).toEqual(["ended", "ended", abort]);
    busy.calls.end(call);
    await ending;
    expect([busy.counts.incompleteCalls, idle.counts.incompleteCalls]).toEqual([incompleteCalls, 0]);
  });
});
