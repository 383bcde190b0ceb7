import { describeFindings } from "../inspect/batch-findings.js";
import type { BatchFiles } from "./batch-files.js";
import type { RolloutTally } from "./tally.js";

export interface RolloutSummary {
  readonly tally: RolloutTally;
  /** Tasks of the job, those that were never started too. */
  readonly tasks: number;
  readonly groupSize: number;
  readonly seconds: number;
  /** Tokens that the engine sampled, those of rejected episodes too. */
  readonly sampledTokens: number;
  readonly batches: BatchFiles;
  /** Where the errors of rejected episodes are; undefined without any. */
  readonly errors: string | undefined;
  /** The job was stopped before its end. */
  readonly stopped: boolean;
}

/** What `rolltape rollout` prints at its end. */
export function describeRollout(summary: RolloutSummary): string {
  const { tally, tasks, groupSize, seconds, sampledTokens, batches, errors } = summary;
  const notRun = tasks - tally.acceptedTasks - tally.rejectedTasks;
  const lines: [string, string][] = [["episodes", `${tally.accepted} accepted, ${tally.rejected} rejected`]];
  for (const line of tally.reasons.describe()) lines.push(["", line]);
  if (groupSize > 1) {
    const incomplete = tally.incompleteTasks > 0 ? ` (${tally.incompleteTasks} incomplete)` : "";
    lines.push(["groups", `${tally.acceptedTasks} of ${tasks} kept${incomplete}, ${groupSize} episodes each`]);
  }
  if (tally.lost > 0) lines.push(["lost", lost(tally)]);
  if (summary.stopped) lines.push(["stopped", `${notRun} of ${tasks} tasks were not begun`]);
  lines.push(
    ["rewards", rewards(tally)],
    [
      "tokens",
      `${batches.tokens} in ${batches.rows} rows; ${sampledTokens} sampled, ${(sampledTokens / seconds).toFixed(0)}/s`,
    ],
    ["time", `${seconds.toFixed(1)} s, ${(tally.accepted / seconds).toFixed(1)} episodes/s`],
    ["wrote", `${written(batches)}, ${batches.bytes} bytes`],
    ...(errors === undefined ? [] : [["errors", errors] as [string, string]]),
    ...describeFindings(batches.findings).map((warning): [string, string] => ["warning", warning]),
  );
  return lines.map(([name, text]) => `${name.padEnd(9)} ${text}\n`).join("");
}

function lost({ lost: sessions, leftOut }: RolloutTally): string {
  const others = leftOut > 0 ? `; ${leftOut} more of their groups were left out` : "";
  return `${sessions} sessions went with their proxy worker${others}`;
}

function written({ files }: BatchFiles): string {
  const [first = "", last = first] = [files[0], files.at(-1)];
  return files.length > 1 ? `${files.length} files, ${first} to ${last}` : first;
}

function rewards({ rewards: all, rewardMean }: RolloutTally): string {
  if (rewardMean === undefined) return "none";
  const [least, most] = all.reduce(([a, b], each) => [Math.min(a, each), Math.max(b, each)], [Infinity, -Infinity]);
  return `mean ${rewardMean.toFixed(3)}, from ${Number(least.toPrecision(4))} to ${Number(most.toPrecision(4))}`;
}
