import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config/index.js";
import type { JobJournal } from "../../leasing/job-journal.js";
import { LeasedTasks } from "../../leasing/leased-tasks.js";
import { SessionRemover } from "../../leasing/session-remover.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { RolloutJob } from "./rollout-job.js";
import type { RolloutOptions } from "./rollout-options.js";

export interface LeasesSettings {
  readonly config: Config;
  readonly options: Pick<RolloutOptions, "groupSize" | "timeout" | "transcripts">;
  readonly proxy: ConnectedProxy;
  readonly adminKey: string;
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  readonly journal?: JobJournal | undefined;
}

/** The HTTP server that gives the tasks of this process's job to rollout workers. */
export interface OpenLeases extends AsyncDisposable {
  readonly url: string;
  readonly tasks: LeasedTasks;
  readonly groupSize: number;
  /** Sets the job whose counts the status shows. */
  attach(job: RolloutJob): void;
}

/** Maximum seconds for which the end of a job waits for a proxy that does not delete unwanted sessions. */
const REMOVAL_SECONDS = 10;
const NO_JOB = { version: 0, submitted: 0, waiting: 0, accepted: 0, rejected: 0 };

/** Starts the server. Workers may come before the job begins. */
export async function openLeases(settings: LeasesSettings): Promise<OpenLeases> {
  const { config, options, proxy, adminKey, host, port, logger, journal } = settings;
  const { lease_seconds, max_attempts, agent } = config.rollout;
  const groupSize = options.groupSize ?? config.group_size;
  const remover = new SessionRemover({
    remove: (id) => proxy.admin.deleteSession(id),
    removeLease: (id) => proxy.admin.deleteLease(id, { ended: true }),
    onRemoved: (id) => journal?.removeUnwanted(id),
    onLeaseRemoved: (id) => journal?.removeLost(id),
  });
  const tasks = new LeasedTasks({
    leaseSeconds: lease_seconds,
    maxAttempts: max_attempts,
    remover,
    records: journal,
    restored: journal?.restored,
    keepsRejected: options.transcripts !== false,
    onLost: ({ task, attempt }, reason) => logger.warn({ task, attempt, reason }, "an attempt of a task was lost"),
  });
  let job: RolloutJob | undefined;
  // Imported late, because it loads the native addon, which is not needed to report wrong arguments.
  const { startController } = await import("../../leasing/start.js");
  const running = await startController(config, {
    adminKey,
    host,
    port,
    logger,
    tasks,
    remover,
    readJob: () => job?.counts ?? NO_JOB,
    settings: {
      job_id: journal?.jobId ?? `job-${randomUUID()}`,
      proxy_url: proxy.url,
      lease_seconds,
      workflow: {
        group_size: groupSize,
        drop_incomplete_group: config.drop_incomplete_group,
        reward_scope: agent.reward_scope,
        timeout_seconds: options.timeout ?? null,
        rejected_sessions: options.transcripts === false ? "delete" : "keep",
      },
    },
  });
  const close = async () => {
    await running.close();
    await remover.close(REMOVAL_SECONDS);
  };
  const attach = (attached: RolloutJob) => void (job = attached);
  return { url: running.url, tasks, groupSize, attach, [Symbol.asyncDispose]: close };
}
