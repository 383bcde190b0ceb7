import { describeFindings } from "../inspect/batch-findings.js";
import type { BatchFiles } from "./batch-files.js";
import { describeExamples, type TranscriptExamples } from "./examples.js";
import type { SessionsFiles } from "./sessions-files.js";
import { countOf, type RolloutTally } from "./tally.js";

export interface RolloutSummary {
  readonly tally: RolloutTally;
  /** Number of tasks of the job, including those that were never started. */
  readonly tasks: number;
  readonly groupSize: number;
  readonly seconds: number;
  /** Number of tokens that the engine sampled, including those of rejected episodes. */
  readonly sampledTokens: number;
  readonly batches: BatchFiles;
  readonly sessionsFiles: Pick<SessionsFiles, "files" | "bytes" | "failed">;
  /** File with the errors of rejected episodes; undefined if there are none. */
  readonly errors: string | undefined;
  /** Undefined if the job wrote no transcript. */
  readonly transcript?: TranscriptExamples | undefined;
  /** True if the job was stopped before its end. */
  readonly stopped: boolean;
  /** `rollout.min_accepted_share` */
  readonly minAcceptedShare: number;
}

/** Returns the summary that `rolltape rollout` prints. */
export function describeRollout(summary: RolloutSummary): string {
  const { tally, tasks, groupSize, batches, errors, transcript } = summary;
  // Tasks that were running are aborted and count as rejected.
  const started = tally.acceptedTasks + tally.rejectedTasks;
  const lines: [string, string][] = [["episodes", `${tally.accepted} accepted, ${tally.rejected} rejected`]];
  for (const line of tally.reasons.describe()) lines.push(["", line]);
  const leftOut = [...tally.describeLeftOut(), ...describeFiltered(batches)];
  for (const [index, line] of leftOut.entries()) lines.push([index === 0 ? "left out" : "", line]);
  if (groupSize > 1) {
    const incomplete = tally.incompleteTasks > 0 ? ` (${tally.incompleteTasks} incomplete)` : "";
    lines.push(["groups", `${tally.acceptedTasks} of ${tasks} kept${incomplete}, ${groupSize} episodes each`]);
  }
  if (tally.rerunTasks > 0)
    lines.push(["rerun", `${tally.rerunTasks} tasks, whose sessions were lost with their proxy`]);
  if (tally.lost > 0) lines.push(["lost", describeLost(tally)]);
  if (summary.stopped) lines.push(["stopped", `after ${started} of ${tasks} tasks had started`]);
  const tooFew = describeTooFew(summary);
  if (tooFew !== undefined) lines.push([TOO_FEW, tooFew]);
  lines.push(
    ["rewards", describeRewards(tally)],
    ["tokens", `${batches.tokens} in ${batches.rows} rows; ${describeSampled(summary)}`],
    ["time", describeTime(summary)],
    ["wrote", `${describeFiles(batches)}, ${batches.bytes} bytes`],
    ...describeSessions(summary),
    ...(errors === undefined ? [] : [["errors", errors] as [string, string]]),
    ...(transcript ? describeExamples(transcript) : []),
    ...describeFindings(batches.findings).map((warning): [string, string] => ["warning", warning]),
  );
  return lines.map(([name, text]) => `${name.padEnd(9)} ${text}\n`).join("");
}

const TOO_FEW = "too few";

/** Returns true if a summary says that too few episodes were accepted. */
export const saysTooFew = (text: string): boolean => text.split("\n").some((line) => line.startsWith(`${TOO_FEW} `));

/** Returns that a job has accepted less than `rollout.min_accepted_share` of its episodes; undefined if it was stopped, or has not. */
export function describeTooFew({ tally, minAcceptedShare, stopped }: RolloutSummary): string | undefined {
  const all = tally.accepted + tally.rejected;
  const kept = tally.accepted - tally.lost - tally.leftOut;
  if (stopped || kept >= minAcceptedShare * all) return undefined;
  return `${countOf(kept)} of ${countOf(all)} episodes are in the batch: less than rollout.min_accepted_share=${minAcceptedShare}`;
}

function describeSampled({ tally, sampledTokens, seconds }: RolloutSummary): string {
  const since = tally.acceptedBefore > 0 ? " since --resume" : "";
  return `${sampledTokens} sampled${since}, ${(sampledTokens / seconds).toFixed(0)}/s`;
}

function describeTime({ tally: { accepted, acceptedBefore }, seconds }: RolloutSummary): string {
  const rate = Math.max(0, accepted - acceptedBefore) / seconds;
  const before = acceptedBefore > 0 ? ` since --resume, ${acceptedBefore} episodes earlier` : "";
  return `${seconds.toFixed(1)} s, ${rate.toFixed(1)} episodes/s${before}`;
}

function describeLost({ lost: sessions, leftOut }: RolloutTally): string {
  const others = leftOut > 0 ? `; ${leftOut} more of their groups were left out` : "";
  return `${sessions} sessions were lost with their proxy worker${others}`;
}

function describeFiltered({ filtered }: BatchFiles): string[] {
  if (filtered === 0) return [];
  const calls = filtered === 1 ? "1 model call was" : `${countOf(filtered)} model calls were`;
  return [`${calls} left out by rollout.agent.export_filters`];
}

function describeSessions({ sessionsFiles: { files, bytes, failed } }: RolloutSummary): [string, string][] {
  const written = `${describeFiles({ files })}, ${bytes} bytes`;
  const lines = files.length === 0 ? [] : [written];
  if (failed > 0) lines.push(`${failed} of ${files.length + failed} sessions files could not be written`);
  return lines.map((line, index) => [index === 0 ? "sessions" : "", line]);
}

function describeFiles({ files }: Pick<BatchFiles, "files">): string {
  const [first = "", last = first] = [files[0], files.at(-1)];
  return files.length > 1 ? `${files.length} files, ${first} to ${last}` : first;
}

function describeRewards({ rewards: all, rewardMean }: RolloutTally): string {
  if (rewardMean === undefined) return "none";
  const [least, most] = all.reduce(
    ([a, b], reward) => [Math.min(a, reward), Math.max(b, reward)],
    [Infinity, -Infinity],
  );
  return `mean ${rewardMean.toFixed(3)} per episode, from ${Number(least.toPrecision(4))} to ${Number(most.toPrecision(4))}`;
}
