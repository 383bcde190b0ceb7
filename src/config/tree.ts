/** A map as YAML and JSON have it. */
export type PlainMap = Readonly<Record<string, unknown>>;

export function isPlainMap(value: unknown): value is PlainMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entry of a map itself, never one that it inherits. */
export function own(map: PlainMap, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** `a.b` and a value become `{ a: { b: value } }`. */
export function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, key) => Object.fromEntries([[key, inner]]), value);
}

/**
 * `base` with the entries of `over` in it: maps are merged, everything else is replaced. What stands where a map is to be
 * merged stays, and is found to be wrong there.
 */
export function merge(base: unknown, over: unknown): unknown {
  if (!isPlainMap(over)) return over;
  if (!isPlainMap(base)) return base ?? over;
  const entries = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) entries.set(key, merge(entries.get(key), value));
  return Object.fromEntries(entries);
}

/** A copy in which `change` replaced every value that is not a map. */
export function mapLeaves(value: unknown, change: (leaf: unknown, path: string) => unknown, path = ""): unknown {
  if (!isPlainMap(value)) return change(value, path);
  const inner = Object.entries(value).map(([key, child]) => {
    return [key, mapLeaves(child, change, path === "" ? key : `${path}.${key}`)] as const;
  });
  return Object.fromEntries(inner);
}
