/** An interval of numbers: `low ≤ value ≤ high`, or `low ≤ value < high` if `open`. */
export interface Range {
  /** -Infinity: no lower bound. */
  readonly low: number;
  readonly high: number;
  readonly open?: boolean;
}

/** True if the range has a value of the interval from `low` to `high`. */
export function overlaps(range: Range, low: number, high: number): boolean {
  return high >= range.low && (range.open ? low < range.high : low <= range.high);
}

/** Writes a range for a URL: `3`, `0.5..1`, `0.5..<1`, `2..`, `..8`. */
export function formatRange({ low, high, open }: Range): string {
  if (low === high && !open) return String(low);
  return `${low === -Infinity ? "" : low}..${open ? "<" : ""}${high === Infinity ? "" : high}`;
}

/** Reads what {@link formatRange} writes. Returns undefined if the text is not a range. */
export function parseRange(text: string): Range | undefined {
  const [first = "", end, ...more] = text.trim().split("..");
  if (more.length > 0) return undefined;
  const low = readBound(first, -Infinity);
  if (end === undefined) return first === "" || low === undefined ? undefined : { low, high: low };
  const open = end.startsWith("<");
  const last = open ? end.slice(1) : end;
  const high = readBound(last, Infinity);
  if (low === undefined || high === undefined || (first === "" && last === "")) return undefined;
  return { low, high, ...(open && high !== Infinity && { open: true }) };
}

function readBound(text: string, absent: number): number | undefined {
  if (text.trim() === "") return absent;
  const value = Number(text);
  return Number.isFinite(value) && !text.startsWith(".") ? value : undefined;
}

export const AT_LEAST_ONE: Range = { low: 1, high: Infinity };
