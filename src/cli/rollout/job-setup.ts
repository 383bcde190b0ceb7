import type { Config } from "../../config/index.js";
import type { JobJournal } from "../../leasing/job-journal.js";
import type { LeasedTasks } from "../../leasing/leased-tasks.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { RolloutWorkflow } from "../../rollout/contract.js";
import type { TaskRunner } from "../../rollout/controller/task-runner.js";
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
  /** Runs the tasks, in this process or on rollout workers. */
  readonly runner: RolloutWorkflow | TaskRunner;
  /** Set if rollout workers run the tasks: it is the `runner`. */
  readonly leases?: LeasedTasks | undefined;
  /** The records of the job on disk. */
  readonly journal?: JobJournal | undefined;
  /** Episodes per task. */
  readonly groupSize: number;
  readonly tasks: readonly RolloutTask[];
  readonly screen: RolloutScreen;
  /** Undefined with `--no-transcripts`. */
  readonly transcript?: JobTranscript | undefined;
}

/** Returns the weight version at the start: that of the process before, if the job goes on. */
export function readStartVersion({ options, journal }: Pick<JobSetup, "options" | "journal">): number | undefined {
  return (journal?.isResumed && journal.version) || options.fromVersion;
}
