import type { Logger } from "pino";
import type { Config } from "../../config/index.js";
import type { JobStore } from "../../job/job-store.js";
import { LeasedTasks } from "../../job/leases/leased-tasks.js";
import type { SessionRemover } from "../../job/session-remover.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";

export interface LeasesSettings {
  readonly config: Config;
  readonly options: Pick<RolloutOptions, "groupSize" | "timeout" | "transcripts">;
  readonly tasks: readonly RolloutTask[];
  readonly store: JobStore;
  readonly remover: SessionRemover;
  readonly proxy: ConnectedProxy;
  readonly adminKey: string;
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
}

/** The HTTP server that gives the tasks of this process's job to rollout workers. */
export interface OpenLeases extends AsyncDisposable {
  readonly url: string;
  readonly tasks: LeasedTasks;
  readonly groupSize: number;
}

/** Starts the server. Workers may come before the job begins. */
export async function openLeases(settings: LeasesSettings): Promise<OpenLeases> {
  const { config, options, tasks: list, store, remover, proxy, adminKey, host, port, logger } = settings;
  const { lease_seconds: leaseSeconds, agent } = config.rollout;
  const groupSize = options.groupSize ?? config.group_size;
  const earlierWorkers = [...(await store.readLeases()).keys()];
  const tasks = new LeasedTasks({ store, leaseSeconds, earlierWorkers, readData: (index) => list[index]?.data });
  // Imported late, because it loads the native addon, which is not needed to report wrong arguments.
  const { startController } = await import("../../job/leases/start.js");
  const running = await startController(config, {
    adminKey,
    host,
    port,
    logger,
    store,
    tasks,
    remover,
    settings: {
      job_id: store.opened.job_id,
      proxy_url: proxy.url,
      lease_seconds: leaseSeconds,
      workflow: {
        group_size: groupSize,
        drop_incomplete_group: config.drop_incomplete_group,
        reward_scope: agent.reward_scope,
        timeout_seconds: options.timeout ?? null,
        rejected_sessions: options.transcripts === false ? "delete" : "keep",
      },
    },
  });
  return { url: running.url, tasks, groupSize, [Symbol.asyncDispose]: () => running.close() };
}
