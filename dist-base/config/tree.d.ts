/** A map of YAML or JSON. */
export type PlainMap = Readonly<Record<string, unknown>>;
export declare function isPlainMap(value: unknown): value is PlainMap;
/** Returns an entry of the map itself, never an inherited one. */
export declare function readOwn(map: PlainMap, key: string): unknown;
/** Returns nested maps: `nest(["a", "b"], 1)` is `{ a: { b: 1 } }`. */
export declare function nest(path: readonly string[], value: unknown): unknown;
/**
 * Returns `base` with the entries of `over`: maps are merged, everything else is replaced. If `base` has another value
 * where `over` has a map, that value stays, so that the schema reports it.
 */
export declare function merge(base: unknown, over: unknown): unknown;
/** Returns a copy in which `change` has replaced every value that is not a map. */
export declare function mapLeaves(value: unknown, change: (leaf: unknown, path: string) => unknown, path?: string): unknown;
