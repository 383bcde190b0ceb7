/** One measurement. */
export interface Row {
  /** Name of the measurement. */
  readonly what: string;
  readonly measured: string;
  readonly reference: string;
  /** Undefined if the measurement has no target. */
  readonly verdict?: Verdict;
}

/** A measured value, often a ratio to the reference, and its target. */
export interface Verdict {
  readonly value: number;
  readonly target: number;
  readonly bound: "at least" | "at most";
  /** Unit of value and target, such as "x" (times), "%" or " ms". */
  readonly unit: string;
}

/** Returns the row of a measurement that this machine or this build does not support. */
export function skipped(what: string, why: string): Row {
  return { what, measured: why, reference: "" };
}

export function met({ value, target, bound }: Verdict): boolean {
  return bound === "at least" ? value >= target : value <= target;
}

/** Passes rows to the parent process, which prints the table. Each row is a line of JSON. */
export function report(...rows: readonly Row[]): void {
  for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
}

export const COLUMNS = ["measurement", "measured", "reference", "value", "target", "result"] as const;

/** Returns the texts of a row, in the order of {@link COLUMNS}. */
export function cellsOf({ what, measured, reference, verdict }: Row): readonly string[] {
  if (!verdict) return [what, measured, reference, "", "", ""];
  const sign = verdict.bound === "at least" ? "≥" : "≤";
  // JSON has no NaN: on a busy machine, a smoke run can divide by a time that was too short to measure.
  const number = (value: number | null) =>
    value === null ? "not measured" : `${Number(value.toPrecision(3))}${verdict.unit}`;
  return [
    what,
    measured,
    reference,
    number(verdict.value),
    `${sign} ${number(verdict.target)}`,
    met(verdict) ? "met" : "not met",
  ];
}

export const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;
export const gigabytesPerSecond = (bytes: number, seconds: number): string =>
  `${(bytes / seconds / 1e9).toFixed(2)} GB/s`;
