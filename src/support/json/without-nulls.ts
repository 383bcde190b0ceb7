/** Returns the object without fields that are null; the object itself if it has none, so that its key order stays. */
export function withoutNulls<T extends object>(value: T): T {
  if (!Object.values(value).includes(null)) return value;
  const entries = Object.entries(value) as [string, unknown][];
  return Object.fromEntries(entries.filter(([, field]) => field !== null)) as T;
}
