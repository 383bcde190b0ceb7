import { SchedulerError } from "../errors.js";
import { slurm } from "./command.js";

/** How a job is, as Slurm says: `PENDING` and why, `RUNNING`, how it ended. */
export interface JobState {
  readonly state: string;
  readonly reason: string;
  /** As Slurm writes machines: `gpu[01-04,07]`; empty while it waits. */
  readonly nodes: string;
}

const ENDED = new Set(
  "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REVOKED TIMEOUT".split(" "),
);

/** Reasons to wait that no waiting removes. */
const NEVER = new Set(
  (
    "AccountNotAllowed BadConstraints DependencyNeverSatisfied InvalidAccount InvalidQOS JobHoldMaxRequeue " +
    "launch_failed_requeued_held PartitionConfig PartitionNodeLimit PartitionTimeLimit QOSNotAllowed"
  ).split(" "),
);

export function hasEnded({ state }: JobState): boolean {
  return ENDED.has(state);
}

/** Whether Slurm will never find machines for it. */
export function isHopeless({ state, reason }: JobState): boolean {
  return NEVER.has(reason) && !(state === "RUNNING");
}

/**
 * Undefined where Slurm knows the job no more: it forgets those that ended some minutes ago.
 *
 * @throws {@link SchedulerError} `slurm_failed` where it cannot be asked now
 */
export async function jobState(id: string): Promise<JobState | undefined> {
  const answer = await askState(id);
  // A heterogeneous job has a line for each group; they start and end together.
  const [first, ...others] = answer
    .split("\n")
    .filter((line) => line !== "")
    .map(readLine);
  if (!first) return undefined;
  const nodes = [first, ...others].map((part) => part.nodes).filter((part) => part !== "");
  return { ...([first, ...others].find(isHopeless) ?? first), nodes: nodes.join(",") };
}

async function askState(id: string): Promise<string> {
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
