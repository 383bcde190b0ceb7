import type { Logger } from "pino";
import { onTestFinished } from "vitest";
import { parseConfig } from "../../../src/config/index.js";
import type { JobDatabase } from "../../../src/job/database.js";
import type { JobStoreOptions } from "../../../src/job/job-store.js";
import { LeasedTasks } from "../../../src/job/leases/leased-tasks.js";
import { type RunningController, startController } from "../../../src/job/leases/start.js";
import { SessionRemover } from "../../../src/job/session-remover.js";
import { SqliteDatabase } from "../../../src/job/sqlite.js";
import type { EpisodeResult } from "../../../src/rollout/contract.js";
import type { LeasedTask, WireReport } from "../../../src/rollout/lease/protocol.js";
import { fromWire } from "../../../src/rollout/lease/wire-result.js";
import type { Deferred } from "../../../src/support/async/deferred.js";
import { openTestStore } from "../open-test-store.js";

export const ADMIN_KEY = "sk-admin-of-a-controller";

const NO_LIMITS = { maxConcurrentRollouts: 1e6, maxStaleness: 1e6, consumerBatchSize: 1 };

export interface LeasingOptions extends Partial<Omit<JobStoreOptions, "leaseMilliseconds">> {
  readonly leaseSeconds?: number;
  readonly remover?: SessionRemover;
  /** With the job of an earlier process. Default: an empty one in memory. */
  readonly database?: JobDatabase;
}

/** Tasks that are leased, with the sessions that were deleted. */
export async function leasing({ leaseSeconds = 600, database, remover: given, ...options }: LeasingOptions = {}) {
  const removed: string[] = [];
  /** Leases whose sessions the proxy was asked to delete. */
  const swept: string[] = [];
  const ended = new Map<number, (result: EpisodeResult) => void>();
  const store = await openTestStore({ leaseMilliseconds: leaseSeconds * 1000, ...options }, database);
  const remover =
    given ??
    new SessionRemover({
      remove: (id) => Promise.resolve(removed.push(id)),
      removeLease: (id) => Promise.resolve(swept.push(id)),
      onRemoved: (session) => store.removed({ session }),
      onLeaseRemoved: (lease) => store.removed({ lease }),
      settleMilliseconds: 0,
    });
  const readData = (number: number) => ({ number });
  const tasks = new LeasedTasks({ store, leaseSeconds, readData });
  onTestFinished(() => tasks.close());
  await store.begin((change) => {
    for (const { index, result } of change.ended) ended.get(index)?.(fromWire(result));
    remover.add(change.unwanted);
    remover.addLeases(change.lostLeases);
    tasks.wake();
  });
  /** Queues a task. Resolves with its result. */
  const run = async (index: number): Promise<EpisodeResult> => {
    const result = new Promise<EpisodeResult>((resolve) => ended.set(index, resolve));
    const task = { index, taskId: `task-${index}`, groupId: `task-${index}` };
    await store.advance({ added: [task], limits: NO_LIMITS });
    tasks.wake();
    return result;
  };
  const lease = (workerId: string, count = 1, held: string[] | null = [], waitSeconds = 5) =>
    tasks.lease({ workerId, count, held: held ?? undefined, waitSeconds }, new AbortController().signal);
  const counts = async () => ({ ...(await store.readCounts()), ...tasks.counts });
  return { store, tasks, removed, swept, remover, run, lease, counts };
}

/** A report of one accepted episode. */
export function reportOf({ lease_id, task, attempt }: LeasedTask, ...sessions: string[]): WireReport {
  const accepted = sessions.map((session_id) => ({
    session_id,
    url: "http://127.0.0.1:9",
    group_id: null,
    interaction_count: 1,
    rewards: [["i", 1]] as [string, number][],
  }));
  return { lease_id, task, attempt, result: { accepted, rejected: [] } };
}

interface ServeOptions {
  readonly port?: number;
  readonly jobId?: string;
  readonly leaseSeconds?: number;
  /** Section `server` of the configuration. */
  readonly server?: object;
  readonly logger?: Logger;
}

/** Serves leased tasks over HTTP. */
export async function serve(
  { store, tasks, remover }: Pick<Awaited<ReturnType<typeof leasing>>, "store" | "tasks" | "remover">,
  { port = 0, jobId = "job-1", leaseSeconds = 600, server = {}, logger }: ServeOptions = {},
): Promise<RunningController> {
  const running = await startController(parseConfig({ server }), {
    ...(logger && { logger }),
    adminKey: ADMIN_KEY,
    host: "127.0.0.1",
    port,
    store,
    tasks,
    remover,
    settings: {
      job_id: jobId,
      proxy_url: "http://127.0.0.1:9",
      lease_seconds: leaseSeconds,
      workflow: {
        group_size: 1,
        drop_incomplete_group: true,
        reward_scope: "interaction",
        timeout_seconds: null,
        rejected_sessions: "delete",
      },
    },
  });
  onTestFinished(async () => {
    // The controller waits some seconds for workers that do not call any more.
    for (const { id } of tasks.workers.all()) tasks.workers.remove(id);
    await running.close();
  });
  return running;
}

/** A database in memory whose transactions wait while `gate.closed` is set. */
export function gatedDatabase() {
  const memory = new SqliteDatabase();
  const gate: { closed?: Deferred<void> } = {};
  const transaction: SqliteDatabase["transaction"] = (work, committed) =>
    memory.transaction(async (query) => {
      await gate.closed?.promise;
      return work(query);
    }, committed);
  return { gate, database: { transaction, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() } };
}
