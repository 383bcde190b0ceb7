/** Deeper than this no tool's schema goes; what recurses over it is safe below. */
export const MAX_DEPTH = 128;

/** Whether a JSON value nests no deeper than {@link MAX_DEPTH}. Does not recurse. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return true;
}
