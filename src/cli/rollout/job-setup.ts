import type { Logger } from "pino";
import type { Config } from "../../config/index.js";
import type { JobStore } from "../../job/job-store.js";
import type { LeasedTasks } from "../../job/leases/leased-tasks.js";
import type { SessionRemover } from "../../job/session-remover.js";
import type { TaskRunner } from "../../job/task-runner.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { BatchArchive } from "./batch-archive.js";
import type { JobTranscript } from "./job-transcript.js";
import type { ProxyCounts } from "./proxy-counts.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutScreen } from "./screen.js";

/** Everything that a rollout job needs to run. */
export interface JobSetup {
  readonly config: Config;
  readonly options: RolloutOptions;
  readonly proxy: ConnectedProxy;
  readonly counts: ProxyCounts;
  /** Returns the number of episodes that have ended, also those whose group has not. */
  readonly ended: () => number;
  /** Runs agents in this process; undefined if rollout workers do. */
  readonly workflow?: TaskRunner | undefined;
  /** Gives the tasks to rollout workers; undefined if agents run in this process. */
  readonly leases?: LeasedTasks | undefined;
  readonly store: JobStore;
  /** Deletes sessions that no batch needs. */
  readonly remover: SessionRemover;
  /** Episodes per task. */
  readonly groupSize: number;
  readonly tasks: readonly RolloutTask[];
  readonly screen: RolloutScreen;
  readonly logger: Logger;
  /** Undefined with `--no-transcripts`. */
  readonly transcript?: JobTranscript | undefined;
  /** Undefined if batches are not archived. */
  readonly archive?: BatchArchive | undefined;
}

/** Returns the weight version at the start: that of the process before, if the job goes on. */
export function readStartVersion({ options, store }: Pick<JobSetup, "options" | "store">): number | undefined {
  return (store.isResumed && store.opened.version) || options.fromVersion;
}
