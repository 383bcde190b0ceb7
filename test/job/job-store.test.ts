import { describe, expect, it } from "vitest";
import { type ClaimedTask, type JobChange, type JobStore, OWN_WORKER, readJobState } from "../../src/job/job-store.js";
import { SqliteDatabase } from "../../src/job/sqlite.js";
import type { WireReport } from "../../src/rollout/lease/protocol.js";
import { Rejection } from "../../src/rollout/rejection.js";
import { openTestStore } from "./open-test-store.js";
import { expectLikeModel } from "./random-leases.js";
import { strictDatabase } from "./strict-database.js";

const LIMITS = { maxConcurrentRollouts: 999, maxStaleness: 999, consumerBatchSize: 2 };
const UNLIMITED = { count: 999, maxHeld: 999, workers: 1 };

const tasks = (count: number, first = 0) =>
  Array.from({ length: count }, (_, i) => ({
    index: first + i,
    taskId: `task-${first + i}`,
    groupId: `group-${first + i}`,
  }));

/** Takes the next batch, if it is complete. */
const taking = (last?: "all" | "started") => ({
  added: [],
  limits: undefined,
  wanted: { order: "completion" as const, limits: LIMITS, last },
});

const acceptedOf = (session_id: string) => ({
  session_id,
  url: "http://127.0.0.1:9",
  group_id: null,
  interaction_count: 1,
  rewards: [],
});

const rejectedOf = (session_id: string | null) => ({
  session_id,
  group_id: null,
  code: "agent_error",
  message: "no",
  error: null,
});

/** A report with an accepted episode per session; without sessions, its task is rejected. */
function reportOf({ leaseId, index, attempt }: ClaimedTask, ...sessions: string[]): WireReport {
  const rejected = sessions.length === 0 ? [rejectedOf(null)] : [];
  return { lease_id: leaseId, task: index, attempt, result: { accepted: sessions.map(acceptedOf), rejected } };
}

const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index];
  if (found === undefined) throw new Error(`no item ${index}`);
  return found;
};

type StoreOptions = Parameters<typeof openTestStore>[0];

/** Opens a job. Collects its changes. */
async function openJob(options: StoreOptions = {}, database = strictDatabase()) {
  const store = await openTestStore(options, database);
  const changes: JobChange[] = [];
  const earlier = await store.begin((change) => changes.push(change));
  const add = (count: number) => store.advance({ added: tasks(count), limits: LIMITS });
  const claim = (worker = "w", options: Partial<Parameters<JobStore["claim"]>[0]> = {}) =>
    store.claim({ worker, ...UNLIMITED, ...options });
  const unwanted = () => changes.flatMap((change) => change.unwanted);
  const lostLeases = () => changes.flatMap((change) => change.lostLeases);
  return { database, store, changes, earlier, add, claim, unwanted, lostLeases };
}

it("a job's state in memory behaves like a list of events, also over restarts", async () => {
  await expectLikeModel(() => Promise.resolve(new SqliteDatabase()), 100);
}, 60_000);

describe("a job that is opened", () => {
  it("begins as its options say, with resume too if there is none", async () => {
    const options = { version: 2, firstBatch: 5, batchSize: 3, resume: true };
    const { store, earlier, changes, database } = await openJob(options);
    expect(store.isResumed).toBe(false);
    expect(store.opened).toMatchObject({ digest: "the tasks", state: "running", version: 2, next_batch: 5 });
    expect(store.opened.job_id).toMatch(/^job-/);
    expect(earlier).toEqual({ ended: [], batches: [] });
    expect(changes).toEqual([]);
    expect(await store.readCounts()).toEqual({
      version: 2,
      submitted: 0,
      waiting: 0,
      queued: 0,
      leased: 0,
      accepted: 6,
      earlier: 6,
      rejected: 0,
      lost: 0,
    });
    expect(await readJobState(database)).toBe("running");
  });

  it("begins anew after a job that has ended, with nothing of it", async () => {
    const { store, add, claim, database } = await openJob({ version: 1 });
    await add(4);
    const claimed = await claim();
    await store.update([], [reportOf(at(claimed, 0), "s0"), reportOf(at(claimed, 1))]);
    await store.saveBatch({ number: 0, file: "a", tasks: [0], trained: false });
    await store.loseWorker("w", "it died");
    await store.discard(["s9"]);
    await store.end("done");
    expect(await readJobState(database)).toBe("done");
    const next = await openJob({}, database);
    expect(next.store.isResumed).toBe(false);
    expect(next.store.opened.job_id).not.toBe(store.opened.job_id);
    expect(next.earlier).toEqual({ ended: [], batches: [] });
    expect(next.changes).toEqual([]);
    expect(await next.store.readCounts()).toMatchObject({
      version: 0,
      submitted: 0,
      accepted: 0,
      rejected: 0,
      lost: 0,
    });
  });

  it("is refused in the tables of another release", async () => {
    const { database } = await openJob();
    await database.transaction((query) => query("update job set format = format + 1"));
    const refused = expect.objectContaining({
      name: "JobStoreError",
      code: "format",
      message: "The database has a job of 0 tasks that cannot go on here: format.",
      tasks: 0,
      job: expect.objectContaining({ state: "running", digest: "the tasks" }) as object,
    }) as Error;
    await expect(openTestStore({ resume: true }, database)).rejects.toThrow(refused);
  });

  it("has no state before it begins", async () => {
    expect(await readJobState(new SqliteDatabase())).toBeUndefined();
  });
});

describe("a job that is resumed", () => {
  it("has its results, its batches and its counts", async () => {
    const { store, add, claim, database } = await openJob({ version: 1, batchSize: 3 });
    await add(9);
    const claimed = await claim("w", { count: 8 });
    await store.update(
      [],
      [0, 1, 2, 3].map((i) => reportOf(at(claimed, i), `s${i}`)),
    );
    await store.update([], [reportOf(at(claimed, 4))]);
    await store.saveBatch({ number: 7, file: "a", tasks: [0, 1], trained: false, outbox: "box" });
    await store.saveBatch({ number: 8, file: "b", tasks: [2], trained: true });
    await store.loseWorker("w", "it died");
    const counts = { submitted: 9, waiting: 0, queued: 4, leased: 0, accepted: 7, earlier: 3, rejected: 1, lost: 3 };
    expect(await store.readCounts()).toMatchObject(counts);
    await store.end("stopped");

    const next = await openJob({ resume: true }, database);
    expect(next.store.isResumed).toBe(true);
    expect(next.store.opened).toMatchObject({ job_id: store.opened.job_id, state: "stopped", next_batch: 9 });
    expect(await readJobState(database)).toBe("running");
    expect(next.earlier.batches).toEqual([
      { number: 7, file: "a", tasks: 2, trained: 0, freed: 0, outbox: "box", sessions_file: null },
      { number: 8, file: "b", tasks: 1, trained: 1, freed: 0, outbox: null, sessions_file: null },
    ]);
    expect(next.earlier.ended).toMatchObject([
      { index: 0, taskId: "task-0", groupId: "group-0", version: 1, batch: 7, result: { rejected: [] } },
      { index: 1, batch: 7 },
      { index: 2, batch: 8 },
      { index: 3, batch: undefined, result: { accepted: [{ session_id: "s3" }] } },
      { index: 4, batch: undefined, result: { accepted: [] } },
    ]);
    expect(await next.store.readCounts()).toMatchObject(counts);
  });

  it("shares its tasks among workers before any was added", async () => {
    const { add, claim, database } = await openJob();
    await add(8);
    await claim("a", { count: 4 });
    const next = await openJob({ resume: true }, database);
    expect(await next.claim("b", { workers: 2 })).toHaveLength(4);
  });

  it("runs the tasks of its own process again, without counting an attempt", async () => {
    const { store, add, claim, database } = await openJob();
    await add(3);
    await claim("w", { count: 1 });
    const [cut] = await claim(OWN_WORKER, { count: 1, canResume: true });
    const [lost] = await claim(OWN_WORKER, { count: 1 });
    expect([...(await store.readLeases()).keys()].toSorted()).toEqual(["this process", "w"]);
    const next = await openJob({ resume: true }, database);
    expect(next.lostLeases()).toEqual([lost?.leaseId]);
    expect(await next.store.readCounts()).toMatchObject({ queued: 2, leased: 1, lost: 0 });
    expect(await next.claim()).toMatchObject([
      { index: 1, attempt: 1, cutLeases: [cut?.leaseId] },
      { index: 2, attempt: 1, cutLeases: [] },
    ]);
  });

  it("takes a batch again that was not written, and has kept and unwanted sessions deleted", async () => {
    const { store, add, claim, database } = await openJob({ keepsRejected: true });
    await add(2);
    const claimed = await claim();
    const report = reportOf(at(claimed, 0), "s0");
    const rejected = [rejectedOf("kept")];
    await store.update([], [{ ...report, result: { ...report.result, rejected } }, reportOf(at(claimed, 1), "s1")]);
    await store.discard(["unwanted", "removed"]);
    await store.removed({ session: "removed" });
    const batch = (await store.advance(taking())).batch;
    expect(batch?.map(({ index }) => index)).toEqual([0, 1]);
    expect(await store.readCounts()).toMatchObject({ accepted: 2 });
    const next = await openJob({ resume: true }, database);
    expect(next.unwanted().toSorted()).toEqual(["kept", "unwanted"]);
    expect(await next.store.advance(taking())).toMatchObject({ counts: { accepted: 2 }, batch });
  });
});

describe("the tasks of a job", () => {
  it("start as the limits allow, and are counted by state", async () => {
    const { store, claim } = await openJob();
    const limits = { maxConcurrentRollouts: 3, maxStaleness: 9, consumerBatchSize: 2 };
    // Added in several statements.
    expect(await store.advance({ added: tasks(200), limits: undefined })).toMatchObject({
      counts: { submitted: 200, waiting: 200, queued: 0 },
      admitted: 0,
      batch: undefined,
    });
    const counts = { submitted: 205, waiting: 202, queued: 3, leased: 0 };
    expect(await store.advance({ added: tasks(5, 200), limits })).toMatchObject({ counts, admitted: 3 });
    expect((await claim("w", { count: 1 })).map(({ index }) => index)).toEqual([0]);
    // Those that are there are left as they are.
    expect(await store.advance({ added: tasks(5), limits })).toMatchObject({
      counts: { ...counts, queued: 2, leased: 1 },
      admitted: 0,
    });
    expect(await store.stop()).toMatchObject([
      { index: 0, taskId: "task-0", groupId: "group-0", version: 0 },
      { index: 1 },
      { index: 2 },
    ]);
    expect(await store.readCounts()).toMatchObject({ waiting: 205, queued: 0, leased: 0 });
  });

  it("start with the version of the job, more or fewer by its extra tasks", async () => {
    const { store, claim } = await openJob({ batchSize: 2 });
    const limits = { maxConcurrentRollouts: 99, maxStaleness: 0, consumerBatchSize: 2 };
    expect(await store.advance({ added: tasks(20), limits })).toMatchObject({ admitted: 2 });
    await store.setVersion(1);
    expect(await store.advance({ added: [], limits })).toMatchObject({ counts: { version: 1 }, admitted: 2 });
    await store.addExtra(3);
    expect(await store.advance({ added: [], limits })).toMatchObject({ admitted: 3 });
    await store.addExtra(-1);
    expect(await store.advance({ added: [], limits })).toMatchObject({ admitted: 0 });
    expect((await claim()).map(({ version }) => version)).toEqual([0, 0, 1, 1, 1, 1, 1]);
  });

  it("are given to a worker up to its maximum and its share, also many at once", async () => {
    const { claim, add, store } = await openJob();
    await add(300);
    const first = await claim("a", { maxHeld: 70 });
    expect(first).toHaveLength(70);
    expect(new Set(first.map(({ leaseId }) => leaseId)).size).toBe(70);
    expect(at(first, 69)).toMatchObject({
      index: 69,
      taskId: "task-69",
      groupId: "group-69",
      attempt: 1,
      cutLeases: [],
    });
    expect(await claim("a", { maxHeld: 70 })).toEqual([]);
    expect(await claim("a", { maxHeld: 73 })).toHaveLength(3);
    expect(await claim("a", { maxHeld: 200, count: 2 })).toHaveLength(2);
    expect(await claim("b", { workers: 3 })).toHaveLength(100);
    // A worker that holds more than its share gets one.
    expect(await claim("b", { workers: 10 })).toHaveLength(1);
    expect(await store.readLeases()).toEqual(
      new Map([
        ["a", 75],
        ["b", 101],
      ]),
    );
    const ids = first.map(({ leaseId }) => leaseId);
    expect(await store.renew([...ids, "unknown"])).toEqual(["unknown"]);
    expect(await store.giveBack(ids)).toBe(70);
    expect(await store.giveBack([])).toBe(0);
    expect(await store.renew(ids)).toEqual(ids);
    expect(await store.returnUnknown("b", [])).toBe(101);
    expect(await store.readLeases()).toEqual(new Map([["a", 5]]));
  });

  it("end only with the report of the lease that holds them", async () => {
    const { store, add, claim, changes } = await openJob();
    await add(2);
    const [first, second] = await claim();
    if (!first || !second) throw new Error("no tasks");
    const refused = async (report: WireReport) => (await store.update([], [report])).refused;
    for (const wrong of [{ index: 5 }, { attempt: 2 }, { leaseId: "of nobody" }])
      expect(await refused(reportOf({ ...first, ...wrong }))).toEqual([wrong.leaseId ?? first.leaseId]);
    expect(await refused(reportOf({ ...first, index: 1 }))).toEqual([first.leaseId]);
    expect(changes.flatMap(({ ended }) => ended)).toEqual([]);
    for (let i = 0; i < 2; i++) expect(await refused(reportOf(first, "s"))).toEqual([]);
    expect(changes.flatMap(({ ended }) => ended)).toMatchObject([{ index: 0, taskId: "task-0", version: 0 }]);
    expect(await store.readCounts()).toMatchObject({ leased: 1, accepted: 1 });
  });

  it("are lost with the reason if their report has a session of another task", async () => {
    const { store, add, claim, changes, unwanted } = await openJob();
    await add(2);
    const [first, second] = await claim();
    if (!first || !second) throw new Error("no tasks");
    const taken = "s".repeat(300);
    await store.update([], [reportOf(first, taken)]);
    const answer = await store.update([], [reportOf(second, "other", taken)]);
    expect(answer).toEqual({ lost: [], refused: [second.leaseId] });
    const reason = `rollout worker w reported session ${taken.slice(0, 200)} twice, or it belongs to another task`;
    expect(changes.flatMap(({ lost }) => lost)).toEqual([{ task: 1, attempt: 1, reason }]);
    expect(unwanted()).toEqual(["other"]);
  });

  it("are lost with the name of their worker if it sends no heartbeat for the lease time", async () => {
    const { store, add, claim, changes } = await openJob({ leaseMilliseconds: 1500 });
    await add(3);
    await claim("a", { count: 2 });
    const [renewed] = await claim("b", { count: 1 });
    const nameOf = (worker: string) => `of ${worker}`;
    expect(await store.tick(1499, nameOf)).toEqual([]);
    expect(await store.renew([renewed?.leaseId ?? ""])).toEqual([]);
    expect(changes).toEqual([]);
    expect(await store.tick(1, nameOf)).toEqual(["a"]);
    const reason = "rollout worker of a sent no heartbeat for 1.5 s";
    expect(changes.flatMap(({ lost }) => lost)).toEqual([
      { task: 0, attempt: 1, reason },
      { task: 1, attempt: 1, reason },
    ]);
    expect(await store.readLeases()).toEqual(new Map([["b", 1]]));
  });

  it("run again if their sessions were lost, while the others go into the next batch", async () => {
    const { store, add, claim, database, unwanted } = await openJob();
    await add(2);
    const claimed = await claim();
    await store.update([], [reportOf(at(claimed, 0), "s0"), reportOf(at(claimed, 1), "s1")]);
    expect((await store.advance(taking())).batch).toHaveLength(2);
    await store.rerun([0, 1], new Map([[1, []]]), "lost with the proxy");
    expect(unwanted()).toEqual([]);
    expect(await store.readCounts()).toMatchObject({ queued: 1, accepted: 1, lost: 1 });
    expect((await openJob({ resume: true }, database)).earlier.ended.map(({ index }) => index)).toEqual([0]);
    const again = at(await claim(), 0);
    expect(again).toMatchObject({ index: 1, attempt: 2 });
    await store.update([], [reportOf(again, "s1")]);
    expect((await store.advance(taking())).batch).toHaveLength(2);
  });

  it("are rejected, with the reason, if they cannot be exported", async () => {
    const { store, add, claim, database } = await openJob();
    await add(2);
    const claimed = await claim();
    await store.update([], [reportOf(at(claimed, 0), "s0"), reportOf(at(claimed, 1), "s1")]);
    await store.advance(taking());
    await store.reject([0, 1], new Rejection("worker_lost", "gone"));
    expect(await store.readCounts()).toMatchObject({ accepted: 0, rejected: 2, waiting: 0 });
    const { earlier } = await openJob({ resume: true }, database);
    const rejected = (group_id: string) => ({
      accepted: [],
      rejected: [{ group_id, code: "worker_lost", message: "gone" }],
    });
    expect(earlier.ended).toMatchObject([{ result: rejected("group-0") }, { result: rejected("group-1") }]);
  });
});

describe("the last batch of a job", () => {
  it("waits for all tasks, or for those that were started", async () => {
    const { store, claim } = await openJob();
    await store.advance({ added: tasks(2), limits: { ...LIMITS, maxConcurrentRollouts: 1 } });
    const none = await store.advance(taking("started"));
    expect(none.batch).toBeUndefined();
    const first = at(await claim(), 0);
    expect((await store.advance(taking("started"))).batch).toBeUndefined();
    await store.update([], [reportOf(first, "s0")]);
    expect((await store.advance(taking())).batch).toBeUndefined();
    expect((await store.advance(taking("all"))).batch).toBeUndefined();
    expect((await store.advance(taking("started"))).batch).toMatchObject([{ index: 0 }]);
    await store.putBack([0]);
    await store.advance({ added: [], limits: LIMITS });
    expect((await store.advance(taking("all"))).batch).toBeUndefined();
    await store.update([], [reportOf(at(await claim(), 0))]);
    expect((await store.advance(taking("all"))).batch).toMatchObject([{ index: 0 }]);
    expect((await store.advance(taking("all"))).batch).toEqual([]);
  });
});

it("reads the tasks that run only if a batch may be complete", async () => {
  const memory = new SqliteDatabase();
  const texts: string[] = [];
  const transaction: SqliteDatabase["transaction"] = (work, committed) =>
    memory.transaction(
      (query) =>
        work((text, ...values) => {
          texts.push(text);
          return query(text, ...values);
        }),
      committed,
    );
  const database = { transaction, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
  const { store, add, claim } = await openJob({}, database);
  const reads = () => texts.splice(0).filter((text) => text.includes("'queued', 'leased') order by id")).length;
  await add(3);
  const claimed = await claim();
  await store.update([], [reportOf(at(claimed, 0), "s0")]);
  for (const last of [undefined, "all", "started"] as const) await store.advance(taking(last));
  expect(reads()).toBe(0);
  await store.update([], [reportOf(at(claimed, 1), "s1")]);
  expect((await store.advance(taking())).batch).toHaveLength(2);
  expect(reads()).toBe(1);
});

describe("the batches of a job", () => {
  it("have their sessions until these are freed", async () => {
    const { store, add, claim, database } = await openJob();
    await add(3);
    const claimed = await claim();
    await store.update(
      [],
      [0, 1, 2].map((i) => reportOf(at(claimed, i), `s${i}`)),
    );
    await store.saveBatch({ number: 0, file: "a", tasks: [0, 1], trained: false, outbox: "box" });
    await store.saveBatch({ number: 1, file: "b", tasks: [2], trained: false, outbox: "box" });
    expect((await store.sessionsOf(0)).toSorted()).toEqual(["s0", "s1"]);
    await store.trained(0);
    await store.inOutbox(0);
    await store.freed(0);
    expect(await store.sessionsOf(0)).toEqual([]);
    expect(await store.sessionsOf(1)).toEqual(["s2"]);
    const { earlier } = await openJob({ resume: true }, database);
    expect(earlier.batches).toMatchObject([
      { number: 0, trained: 1, freed: 1, outbox: null },
      { number: 1, trained: 0, freed: 0, outbox: "box", sessions_file: null },
    ]);
  });
});

describe("the sessions of a job", () => {
  it("are deleted once, and accepted ones never", async () => {
    const { store, add, claim, unwanted, database } = await openJob();
    await add(1);
    await store.update([], [reportOf(at(await claim(), 0), "s")]);
    await store.discard(["a", "s", "a", "b"]);
    expect(unwanted()).toEqual(["a", "b"]);
    await store.removed({ session: "a" });
    await store.removed({ session: "s" });
    expect((await openJob({ resume: true }, database)).unwanted()).toEqual(["b"]);
  });

  it("are deleted with their lease until that is done", async () => {
    const { store, add, claim, lostLeases, database } = await openJob();
    await add(2);
    const leases = (await claim()).map(({ leaseId }) => leaseId);
    await store.loseWorker("w", "it died");
    expect(lostLeases()).toEqual(leases);
    await store.removed({ lease: at(leases, 0) });
    expect((await openJob({ resume: true }, database)).lostLeases()).toEqual(leases.slice(1));
  });

  it("are deleted if they are announced too late", async () => {
    const { store, add, claim, unwanted, changes } = await openJob();
    await add(1);
    const { leaseId } = at(await claim(), 0);
    expect(await store.announce([])).toEqual([]);
    const sessions = [
      { lease_id: leaseId, session_id: "held" },
      { lease_id: "ended", session_id: "late" },
    ];
    expect(await store.announce(sessions)).toEqual(["ended"]);
    expect(changes).toEqual([{ ended: [], lost: [], unwanted: ["late"], lostLeases: [] }]);
    await store.loseWorker("w", "it died");
    expect(unwanted()).toEqual(["late", "held"]);
  });
});

it.each<[string, (store: JobStore) => Promise<unknown>]>([
  ["a lost worker", (store) => store.loseWorker("w", "it died")],
  ["a batch that runs again", (store) => store.rerun([0], new Map(), "lost")],
  ["a batch that was not received", (store) => store.putBack([0])],
  ["rejected tasks", (store) => store.reject([0], new Rejection("worker_lost", "gone"))],
  ["a batch", (store) => store.saveBatch({ number: 0, file: "a", tasks: [0], trained: true })],
  ["that a batch is in its outbox", (store) => store.inOutbox(0)],
  ["that a batch was freed", (store) => store.freed(0)],
  ["that a batch was trained", (store) => store.trained(0)],
  ["a version", (store) => store.setVersion(1)],
  ["extra tasks", (store) => store.addExtra(1)],
  ["unwanted sessions", (store) => store.discard(["s"])],
  ["that a session was deleted", (store) => store.removed({ session: "s" })],
  ["the end", (store) => store.end("done")],
])("rejects if it cannot store %s", async (_, change) => {
  const { store, database } = await openJob();
  await database[Symbol.asyncDispose]();
  // Nothing needs no database.
  expect([await store.giveBack([]), await store.announce([])]).toEqual([0, []]);
  await expect(change(store)).rejects.toThrow(/not open|closed/);
});

it("tells once that its state cannot be stored", async () => {
  const failures: Error[] = [];
  const { store, database } = await openJob({ onFailure: (error) => failures.push(error) });
  expect(store.hasFailed).toBe(false);
  await database[Symbol.asyncDispose]();
  for (let i = 0; i < 2; i++) await expect(store.setVersion(1)).rejects.toThrow(/not open|closed/);
  expect(failures).toHaveLength(1);
  expect(store.hasFailed).toBe(true);
});
