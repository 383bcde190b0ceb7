import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { packShards } from "../../../src/session/batch/batch.js";
import { batchOptionsSchema } from "../../../src/session/batch/batch-options.js";
import { planExport } from "../../../src/session/batch/plan.js";
import { Exporter } from "../../../src/session/export/exporter.js";
import { Session } from "../../../src/session/session.js";
import { canUnload } from "../../../src/session/stored/loaded-sessions.js";
import { LocalSession, TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { beginTurn } from "../../helpers/record-turn.js";
import { turn, user } from "../../helpers/turn.js";
import { registryOf, TIMEOUT_MILLISECONDS } from "../support/registry.js";

const SESSIONS = 12;
const NO_WAIT = { waitMilliseconds: 0, drainMilliseconds: 0 };
const OPTIONS = batchOptionsSchema.parse({ discount: 0.5 });

afterEach(() => void vi.restoreAllMocks());

/** Records two calls, of which the second continues the first. */
function recordTwo(session: LocalSession, index: number): void {
  session.record({ ...turn([user(`task ${index}`)], [1, index], [3]), interactionId: `${session.id}-first` });
  session.record({ ...turn([user(`other ${index}`)], [2, index, 4], [5, 6]), interactionId: `${session.id}-second` });
  session.setReward(index);
}

function storeOf(count: number): { store: TrajectoryStore; ids: string[] } {
  const store = new TrajectoryStore();
  const ids = Array.from({ length: count }, (_, index) => {
    const session = store.createSession({ sessionId: `session-${index}` });
    recordTwo(session, index);
    session.end();
    return session.id;
  });
  return { store, ids };
}

function recordedSession(id: string): Session {
  const session = new Session({ id, taskId: id });
  recordTwo(new LocalSession(session), 7);
  session.end();
  return session;
}

/** Makes the time pass so fast that every step of an export is a slice of its own. */
function sliceEveryStep(): void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
}

/** Calls `work` in every iteration of the event loop until the promise is settled. Returns how often that was. */
async function meanwhile(promise: Promise<unknown>, work: (turn: number) => void): Promise<number> {
  let settled = false;
  const end = () => (settled = true);
  promise.then(end, end);
  let count = 0;
  for (; !settled; count++) {
    work(count);
    await nextTurn();
  }
  return count;
}

async function bytesOf(store: TrajectoryStore, ids: readonly string[], meddle = () => {}): Promise<Buffer> {
  const exporting = store.exportBatch(ids, { discount: 0.5, release: false });
  await meanwhile(exporting, meddle);
  const batch = await exporting;
  const bytes = Buffer.from(batch.bytes);
  batch.release();
  return bytes;
}

describe("an export whose planning is sliced", () => {
  it("packs the same bytes as one that is planned at once", async () => {
    const { store, ids } = storeOf(SESSIONS);
    const atOnce = await bytesOf(store, ids);
    sliceEveryStep();
    expect((await bytesOf(store, ids)).equals(atOnce)).toBe(true);
    store.close();
  });

  it("refuses rewards and calls, and postpones deletion, expiry and eviction until it is packed", async () => {
    const registry = registryOf();
    const sessions = Array.from({ length: SESSIONS }, (_, index) => {
      const { session } = registry.start({ taskId: `task-${index}` });
      recordTwo(new LocalSession(session), index);
      session.end();
      return session;
    });
    const ids = sessions.map(({ id }) => id);
    const exporter = new Exporter(registry);
    const pack = (of: Session[]) => packShards(of, OPTIONS, { shards: 1 });
    const reference = await exporter.prepare(ids, NO_WAIT, pack);
    reference.settle("left");
    const open = sessions.map((session) => beginTurn(session, { messages: [] }));
    sliceEveryStep();

    const exporting = exporter.prepare(ids, NO_WAIT, pack);
    const deletions: Promise<void>[] = [];
    const refusals = new Set<string>();
    const refusalOf = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return (error as { code: string }).code;
      }
      return "none";
    };
    await meanwhile(exporting, () => {
      if (!sessions.every(({ lifecycle }) => lifecycle.exporting)) return;
      if (deletions.length === 0) deletions.push(...ids.map((id) => registry.delete(id)));
      registry.sweep(Date.now() + 2 * TIMEOUT_MILLISECONDS);
      for (const session of sessions) {
        refusals.add(refusalOf(() => session.setReward(1)));
        expect(canUnload(session)).toBe(false);
      }
      for (const turn of open) refusals.add(refusalOf(() => turn.record({} as never)));
    });
    const { packed, settle } = await exporting;
    expect(refusals).toEqual(new Set(["session_exporting"]));
    expect(Buffer.from(packed[0]?.bytes ?? []).equals(Buffer.from(reference.packed[0]?.bytes ?? []))).toBe(true);
    expect([...registry.all()]).toHaveLength(SESSIONS);
    settle("taken");
    await Promise.all(deletions);
    expect([deletions.length, ...registry.all()]).toEqual([SESSIONS]);
  });

  it("exports no session if one of them expires before its turn", async () => {
    const registry = registryOf();
    const sessions = ["first", "second"].map((taskId) => {
      const { session } = registry.start({ taskId });
      recordTwo(new LocalSession(session), 1);
      session.end();
      return session;
    });
    sliceEveryStep();
    const ids = sessions.map(({ id }) => id);
    const exporting = new Exporter(registry).prepare(ids, NO_WAIT, async () => "packed");
    await meanwhile(exporting, () => {
      if (sessions[0]?.lifecycle.exporting && !sessions[1]?.lifecycle.exporting) sessions[1]?.free("expired");
    });
    await expect(exporting).rejects.toMatchObject({ code: "session_expired" });
    expect(sessions.map(({ state, lifecycle }) => [state, lifecycle.exporting])).toEqual([
      ["ended", false],
      ["expired", false],
    ]);
  });

  it.each([
    ["released", (store: TrajectoryStore, ids: readonly string[]) => store.release(ids)],
    ["freed with their store", (store: TrajectoryStore) => store.close()],
  ])("contains sessions that are %s meanwhile, and frees them at its end", async (_name, free) => {
    const { store, ids } = storeOf(SESSIONS);
    const whole = await bytesOf(store, ids);
    sliceEveryStep();
    let turns = 0;
    const bytes = await bytesOf(store, ids, () => {
      if (++turns === SESSIONS + 3) free(store, ids);
    });
    expect(bytes.equals(whole)).toBe(true);
    await expect(store.exportBatch(ids)).rejects.toMatchObject({
      code: expect.stringMatching(/^(session_not_found|store_closed)$/),
    });
  });

  it("frees its sessions in slices, so that a large export does not hold up the event loop", async () => {
    const { store, ids } = storeOf(SESSIONS);
    const free = vi.spyOn(Session.prototype, "free");
    sliceEveryStep();
    const freed = new Set<number>();
    await meanwhile(store.exportBatch(ids), () => freed.add(free.mock.calls.length));
    expect([...freed].slice(0, SESSIONS)).toEqual(Array.from({ length: SESSIONS }, (_, count) => count));
  });

  it("has one state of each session: that of the step which reads it", () => {
    const [early, late] = [recordedSession("early"), recordedSession("late")];
    const steps = planExport([early, late], OPTIONS);
    // A step for each session to count its interactions, and one to plan the first.
    for (let step = 0; step < 3; step++) steps.next();
    for (const session of [early, late]) {
      session.delivery.closedEarly(0);
      session.count("abortedCalls");
    }
    const plan = runAtOnce(steps);
    expect([...plan.native.rows.sessions]).toEqual([0, 0, 1]);
    expect(plan.leftOut).toEqual([[], [{ index: 0, reason: "undelivered" }]]);
    expect(plan.counts.abortedCalls).toEqual({ late: 1 });
    expect([...runAtOnce(planExport([early, late], OPTIONS)).native.rows.sessions]).toEqual([0, 1]);
  });

  it("refuses options that contradict each other, even if no caller has checked them", () => {
    const options = batchOptionsSchema.parse({ layout: "tree", turns: true });
    expect(() => runAtOnce(planExport([recordedSession("a")], options))).toThrow("turns must be false for layout tree");
  });
});
