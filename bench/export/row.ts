/** One line of the table. Every ratio is "better is larger" unless `atMost` says otherwise. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly reference: string;
  /** Undefined: the row only informs. */
  readonly verdict?: Verdict;
}

export interface Verdict {
  readonly value: number;
  readonly wanted: number;
  readonly sense: "at least" | "at most";
  /** What the value counts: "x", "%", " ms". */
  readonly unit: string;
}

/** The line that stands for a measurement which this machine or this build does not allow. */
export function skipped(what: string, why: string): Row {
  return { what, ours: why, reference: "" };
}

export function met({ value, wanted, sense }: Verdict): boolean {
  return sense === "at least" ? value >= wanted : value <= wanted;
}

/** Hands rows to the parent, which prints the table: one JSON line each. */
export function report(...rows: readonly Row[]): void {
  for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
}

const COLUMNS = ["what", "ours", "reference", "ratio", "wanted", ""] as const;

/** Rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  return markdown(COLUMNS, rows.map(cellsOf));
}

/** A Markdown table whose columns stand below each other as text, too. */
export function markdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`);
  lines.splice(1, 0, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
  return lines.join("\n");
}

function cellsOf({ what, ours, reference, verdict }: Row): readonly string[] {
  if (!verdict) return [what, ours, reference, "", "", ""];
  const sign = verdict.sense === "at least" ? "≥" : "≤";
  // JSON has no NaN: on a busy machine, a smoke run can divide by a time that was too short to measure.
  const number = (value: number | null) =>
    value === null ? "not measured" : `${Number(value.toPrecision(3))}${verdict.unit}`;
  return [
    what,
    ours,
    reference,
    number(verdict.value),
    `${sign} ${number(verdict.wanted)}`,
    met(verdict) ? "met" : "not met",
  ];
}

export const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;
export const gigabytesPerSecond = (bytes: number, seconds: number): string =>
  `${(bytes / seconds / 1e9).toFixed(2)} GB/s`;
