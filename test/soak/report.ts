import { FINDINGS, type Finding, type Findings } from "./check/findings.js";
import type { GenerationLog } from "./engine/generation-log.js";
import type { ResourceWatch } from "./resources.js";
import type { SoakUpdates } from "./soak.js";
import type { Tally } from "./tally.js";

export interface SoakResult {
  readonly tally: Tally;
  readonly log: GenerationLog;
  readonly updates: SoakUpdates;
  readonly findings: Findings;
  readonly watches: readonly ResourceWatch[];
  /** Problems of the run itself, one sentence each. */
  readonly problems: readonly string[];
}

export const COLUMNS = ["what", "part", "count"] as const;

/** Returns the rows of the result's table. */
export function toRows({ tally, log, updates, findings, watches }: SoakResult): string[][] {
  const { exported } = tally;
  const counted = (title: string, counts: ReadonlyMap<string, number>): string[][] =>
    [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([name, count]) => [title, name, String(count)]);
  const rows = [
    ["load", "calls", String(tally.calls)],
    ["load", "sessions", String(tally.sessions)],
    ["load", "requests to the engine", String(log.requests)],
    ["load", "weight versions", String(updates.versions)],
    ["load", "pauses", String(updates.pauses)],
    ...counted("call", tally.outcomes),
    ...counted("engine's fault", log.faults),
    ["export", "rows", String(exported.rows)],
    ["export", "tokens compared", String(exported.tokens)],
    ["export", "sampled tokens compared", String(exported.outputTokens)],
    ["export", "unanswered rows, marked", String(exported.marked)],
    ["export", "unanswered rows, not marked: the server could not know", String(exported.unknowable)],
    ...(Object.keys(FINDINGS) as Finding[]).map((each) => ["must be 0", FINDINGS[each], String(findings.count(each))]),
    ...watches.flatMap(({ name, start, peak, end }) => [
      [
        name,
        "RSS at start, peak, end",
        [start, peak, end].map((each) => `${each.mebibytes.toFixed(0)} MiB`).join(", "),
      ],
      [name, "file descriptors at start, peak, end", [start, peak, end].map((each) => each.descriptors).join(", ")],
    ]),
  ];
  return rows.map(([part = "", what = "", count = ""]) => [what, part, count]);
}
