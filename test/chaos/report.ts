import { markdownTable } from "../helpers/markdown-table.js";
import { CHAOS_FINDINGS, type ChaosFinding } from "./check/findings.js";
import type { ChaosTally } from "./tally.js";

/** Writes the result as one table. */
export function report(tally: ChaosTally): string {
  const { exported, findings, parts, powerLoss } = tally;
  const rows: (readonly [group: string, name: string, count: number])[] = [
    ["load", "kills", tally.kills],
    ["load", "of these, before the server was ready", parts?.kills.killedStarts ?? 0],
    ...(powerLoss
      ? ([
          ["load", "of these, with a loss of unsynced writes", powerLoss.losses],
          ["load", "sectors of 512 bytes lost", powerLoss.dropped],
        ] as const)
      : []),
    ["load", "sessions", parts?.load.sessions ?? 0],
    ...[...tally.outcomes]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, count]) => ["call", name, count] as const),
    ["load", "other requests cut by a kill", parts?.controlRequests.cuts ?? 0],
    ["export", "exports", parts?.exports.exports ?? 0],
    ["export", "exports repeated", parts?.exports.repeats ?? 0],
    ["export", "rows", exported.rows],
    ["export", "tokens compared", exported.tokens],
    ["export", "rewards compared", exported.rewards],
    ["export", "rows of cut calls, left out", exported.cutMarked],
    ["export", "rows of calls that the agent left, left out", exported.leftMarked],
    ["unknowable", "rows of cut calls in default batches", exported.cutUnknowable],
    ["unknowable", "rows of calls that the agent left in default batches", exported.leftUnknowable],
    ["unknowable", "rows of answered calls left out by default, in the full export", exported.answersUnknowable],
    ...(Object.keys(CHAOS_FINDINGS) as ChaosFinding[]).map(
      (finding) => ["must be 0", CHAOS_FINDINGS[finding], findings.count(finding)] as const,
    ),
    ["sum", "answered", tally.answered],
    ["sum", "lost", tally.lost],
    ["sum", "wrong", tally.wrong],
    ["sum", "duplicated", tally.duplicated],
  ];
  return markdownTable(
    ["", "what", "count"],
    rows.map(([group, name, count]) => [group, name, String(count)]),
  );
}
