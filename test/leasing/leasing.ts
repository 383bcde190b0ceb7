import type { Logger } from "pino";
import { onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { LeasedTasks, type LeasedTasksOptions } from "../../src/leasing/leased-tasks.js";
import { SessionRemover } from "../../src/leasing/session-remover.js";
import { type RunningController, startController } from "../../src/leasing/start.js";
import type { RunningTask } from "../../src/rollout/controller/task-runner.js";
import type { LeasedTask, WireReport } from "../../src/rollout/lease/protocol.js";

export const ADMIN_KEY = "sk-admin-of-a-controller";

/** Tasks that are leased, with the sessions that were deleted. */
export function leasing(options: Partial<LeasedTasksOptions> = {}) {
  const removed: string[] = [];
  /** Leases whose sessions the proxy was asked to delete. */
  const swept: string[] = [];
  const remover = new SessionRemover({
    remove: (id) => {
      removed.push(id);
      return Promise.resolve();
    },
    removeLease: (id) => {
      swept.push(id);
      return Promise.resolve();
    },
    settleMilliseconds: 0,
  });
  const tasks = new LeasedTasks({ leaseSeconds: 600, maxAttempts: 3, remover, ...options });
  onTestFinished(() => tasks.close());
  const run = (index: number, signal = new AbortController().signal) => tasks.runTask(taskNumber(index), signal);
  const lease = (workerId: string, count = 1, held: string[] | null = [], waitSeconds = 5) =>
    tasks.lease({ workerId, count, held: held ?? undefined, waitSeconds }, new AbortController().signal);
  return { tasks, removed, swept, remover, run, lease };
}

export function taskNumber(index: number): RunningTask {
  return { index, data: { number: index }, taskId: `task-${index}`, groupId: `task-${index}`, version: 0 };
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
  readonly accessLog?: boolean;
  readonly logger?: Logger;
}

/** Serves leased tasks over HTTP. */
export async function serve(
  { tasks, remover }: Pick<ReturnType<typeof leasing>, "tasks" | "remover">,
  { port = 0, jobId = "job-1", leaseSeconds = 600, accessLog = false, logger }: ServeOptions = {},
): Promise<RunningController> {
  const running = await startController(parseConfig({ server: { access_log: accessLog } }), {
    ...(logger && { logger }),
    adminKey: ADMIN_KEY,
    host: "127.0.0.1",
    port,
    tasks,
    remover,
    readJob: () => ({ version: 3, submitted: 9, waiting: 4, accepted: 2, rejected: 1 }),
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
