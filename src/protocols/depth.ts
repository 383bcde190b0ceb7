/** Deepest nesting of JSON in a request, so that code that recurses over it cannot overflow the stack. */
export const MAX_DEPTH = 128;

/** Returns true if a JSON value nests at most {@link MAX_DEPTH} levels. Does not recurse itself. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((child) => (typeof child === "object" && child !== null ? Object.values(child) : []));
  }
  return true;
}
