import { SchedulerError } from "../errors.js";
import { slurm } from "./command.js";

/** The state of a job in Slurm, such as `PENDING` with a reason, `RUNNING`, or `FAILED`. */
export interface JobState {
  readonly state: string;
  readonly reason: string;
  /** The job's machines in Slurm's notation: `gpu[01-04,07]`. Empty while it waits. */
  readonly nodes: string;
}

const ENDED = new Set(
  "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REVOKED TIMEOUT".split(" "),
);

/** Reasons of a pending job that do not go away by waiting. */
const NEVER = new Set(
  (
    "AccountNotAllowed BadConstraints DependencyNeverSatisfied InvalidAccount InvalidQOS JobHoldMaxRequeue " +
    "launch_failed_requeued_held PartitionConfig PartitionNodeLimit PartitionTimeLimit QOSNotAllowed"
  ).split(" "),
);

export function hasJobEnded({ state }: JobState): boolean {
  return ENDED.has(state);
}

/** Returns true if Slurm will never find machines for the job. */
export function isHopeless({ state, reason }: JobState): boolean {
  return NEVER.has(reason) && !(state === "RUNNING");
}

/**
 * Returns the state of a job; undefined if Slurm no longer knows it. Slurm forgets a job some minutes after its end.
 *
 * @throws {@link SchedulerError} `slurm_failed` if Slurm does not answer
 */
export async function readSlurmJobState(id: string): Promise<JobState | undefined> {
  const output = await runSqueue(id);
  // A heterogeneous job has one line per group. The groups start and end together.
  const [first, ...others] = output
    .split("\n")
    .filter((line) => line !== "")
    .map(readLine);
  if (!first) return undefined;
  const nodes = [first, ...others].map((part) => part.nodes).filter((part) => part !== "");
  return { ...([first, ...others].find(isHopeless) ?? first), nodes: nodes.join(",") };
}

async function runSqueue(id: string): Promise<string> {
  try {
    return await slurm("squeue", ["--noheader", "--states=all", `--jobs=${id}`, "--format=%T|%r|%N"]);
  } catch (error) {
    if (error instanceof SchedulerError && /invalid job id/i.test(error.message)) return "";
    throw error;
  }
}

function readLine(line: string): JobState {
  const [state = "", reason = "", nodes = ""] = line.split("|");
  return { state, reason, nodes };
}
