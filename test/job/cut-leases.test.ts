import { expect, it } from "vitest";
import { type ClaimedTask, type JobChange, type JobStore, OWN_WORKER } from "../../src/job/job-store.js";
import { SqliteDatabase } from "../../src/job/sqlite.js";
import { openTestStore } from "./open-test-store.js";

const LIMITS = { maxConcurrentRollouts: 9, maxStaleness: 9, consumerBatchSize: 1 };

/** A job of one task. Collects the leases whose sessions are to be deleted. */
async function openJob(options: Parameters<typeof openTestStore>[0] = {}, database = new SqliteDatabase()) {
  const store = await openTestStore(options, database);
  const deleted: string[] = [];
  await store.begin(({ lostLeases }: JobChange) => void deleted.push(...lostLeases));
  if (!store.isResumed) {
    await store.advance({ added: [{ index: 0, taskId: "t", groupId: "t" }], limits: LIMITS });
  }
  return { store, database, deleted };
}

async function claim(store: JobStore, worker: string, canResume = true): Promise<ClaimedTask> {
  const [task] = await store.claim({ worker, count: 1, maxHeld: 1, workers: 1, canResume });
  if (!task) throw new Error("no task");
  return task;
}

const reportOf = ({ leaseId, attempt }: ClaimedTask) => ({
  lease_id: leaseId,
  task: 0,
  attempt,
  result: {
    accepted: [{ session_id: "s", url: "u", group_id: null, interaction_count: 1, rewards: [] }],
    rejected: [],
  },
});

it("keeps the sessions of lost leases for the next attempts, and has them deleted when the task ends", async () => {
  const { store, deleted } = await openJob();
  const first = await claim(store, "a");
  expect(first.cutLeases).toEqual([]);
  await store.loseWorker("a", "it died");
  const second = await claim(store, "b");
  expect(second.cutLeases).toEqual([first.leaseId]);
  await store.loseWorker("b", "it died");
  const third = await claim(store, "c");
  expect(third.cutLeases).toEqual([first.leaseId, second.leaseId]);
  expect(deleted).toEqual([]);
  await store.update([], [reportOf(third)]);
  expect(deleted).toEqual([first.leaseId, second.leaseId]);
});

it("has the sessions of a lost lease deleted at once if the agent cannot resume", async () => {
  const { store, deleted } = await openJob();
  const { leaseId } = await claim(store, "a", false);
  await store.loseWorker("a", "it died");
  expect(deleted).toEqual([leaseId]);
  expect((await claim(store, "b")).cutLeases).toEqual([]);
});

it("deletes the sessions of lost leases when the task is rejected after its last attempt, and when the job is stopped", async () => {
  const rejected = await openJob({ maxAttempts: 1 });
  const only = await claim(rejected.store, "a");
  await rejected.store.loseWorker("a", "it died");
  expect(rejected.deleted).toEqual([only.leaseId]);
  const stopped = await openJob();
  const first = await claim(stopped.store, "a");
  await stopped.store.loseWorker("a", "it died");
  const second = await claim(stopped.store, "b");
  await stopped.store.stop();
  expect(stopped.deleted.toSorted()).toEqual([first.leaseId, second.leaseId].toSorted());
});

it("deletes the sessions of a lease that is given back, but not those of lost ones", async () => {
  const { store, deleted } = await openJob();
  const first = await claim(store, "a");
  await store.loseWorker("a", "it died");
  const second = await claim(store, "b");
  await store.giveBack([second.leaseId]);
  expect(deleted).toEqual([second.leaseId]);
  expect((await claim(store, "c")).cutLeases).toEqual([first.leaseId]);
});

it("keeps the sessions of a killed process for the process that goes on with --resume", async () => {
  const { store, database } = await openJob();
  const first = await claim(store, OWN_WORKER);
  const next = await openJob({ resume: true }, database);
  const again = await claim(next.store, OWN_WORKER);
  expect(again).toMatchObject({ attempt: 1, cutLeases: [first.leaseId] });
  await next.store.update([], [reportOf(again)]);
  expect(next.deleted).toEqual([first.leaseId]);
});
