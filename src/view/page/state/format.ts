const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const TIME = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium" });

/** A value that was not recorded. */
export const NO_VALUE = "–";

type Value = number | null | undefined;

const isAbsent = (value: Value): value is null | undefined => value === null || value === undefined;

export const formatWhole = (value: Value): string => (isAbsent(value) ? NO_VALUE : WHOLE.format(value));
/** 12,345 is 12.3K. */
export const formatCompact = (value: Value): string => (isAbsent(value) ? NO_VALUE : COMPACT.format(value));
export const formatShare = (value: Value): string => (isAbsent(value) ? NO_VALUE : SHARE.format(value));

/** Bounds of seconds: 0.055, 2.5, 1.2K */
export const formatSeconds = (value: Value): string =>
  !isAbsent(value) && Math.abs(value) < 1000 ? formatNumber(value) : formatCompact(value);

/** At most three decimals, for rewards and other small numbers. */
export function formatNumber(value: Value): string {
  if (isAbsent(value)) return NO_VALUE;
  if (Number.isInteger(value)) return WHOLE.format(value).replace("-", "−");
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  const text = value
    .toFixed(digits)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
  return text.replace("-", "−");
}

/** 850 ms, 12.3 s, 4 min 5 s, 2 h 3 min */
export function formatDuration(seconds: Value): string {
  if (isAbsent(seconds)) return NO_VALUE;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.round((whole % 3600) / 60)} min`;
}

/** Formats a time since the start: +0 s, +45 s, +4 min 5 s */
export function formatElapsed(seconds: number): string {
  const whole = Math.round(seconds);
  return `+${whole < 60 ? `${whole} s` : formatDuration(whole)}`;
}

/** The last second that `Date` has; a damaged transcript may have any number. */
const LAST_SECOND = 8.64e12;

export const formatTime = (seconds: Value): string =>
  isAbsent(seconds) || !(Math.abs(seconds) <= LAST_SECOND) ? NO_VALUE : TIME.format(seconds * 1000);

/** v3, or v3–5 */
export function formatVersions(low: Value, high: Value): string {
  if (isAbsent(low)) return NO_VALUE;
  return isAbsent(high) || high === low ? `v${low}` : `v${low}–${high}`;
}

/** 1 episode, 2 episodes */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${formatWhole(count)} ${count === 1 ? noun : nouns}`;
