/** Days, hours, minutes, seconds: `3-12`, `3-12:30`, `3-12:30:00`, `12:30:00`, `30:00`, `30`. */
const TIME = /^(?:--time=|-t=?)(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/;

/** The time that options of sbatch give a job, in seconds; undefined where they say nothing that can be read. */
export function timeLimitSeconds(options: readonly string[]): number | undefined {
  const found = options.map((option) => TIME.exec(option)).findLast((match) => match !== null);
  if (!found) return undefined;
  const [days, first = 0, second, third] = found
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  // With days the first is hours; without, it is hours only where there are three.
  const isHours = days !== undefined || third !== undefined;
  const [hours, minutes, seconds] = isHours ? [first, second, third] : [0, first, second];
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
}
