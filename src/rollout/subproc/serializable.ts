import { SubprocError } from "./error.js";

/** `clone`: to a worker process, by structured clone. `json`: to a program, as JSON. */
export type Wire = "clone" | "json";

/**
 * Refuses what would not arrive in another process as it is: functions, symbols, promises, weak collections, and
 * instances of classes, which would arrive without their class. Plain objects and arrays travel; to a worker also Map,
 * Set, Date, RegExp, errors, buffers, typed arrays and cycles.
 *
 * @param name how the error names the value, such as `data`
 * @throws SubprocError `not_serializable`, naming the property: `data.tools[0].call is a function`
 */
export function assertSerializable(value: unknown, name: string, wire: Wire = "clone"): void {
  const seen = new Map<object, string>();
  // A list of work instead of recursion: data may be nested deeper than the stack.
  const pending: [unknown, string][] = [[value, name]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [current, path] = next;
    assertPrimitive(current, path, wire);
    if (typeof current !== "object" || current === null) continue;
    const first = seen.get(current);
    if (first !== undefined && wire === "json" && isWithin(path, first)) throw refused(path, "a part of itself");
    if (first !== undefined) continue;
    seen.set(current, path);
    pending.push(...childrenOf(current, path, wire).reverse());
  }
}

function isWithin(path: string, outer: string): boolean {
  return path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length));
}

function assertPrimitive(value: unknown, path: string, wire: Wire): void {
  if (typeof value === "function" || typeof value === "symbol") throw refused(path, `a ${typeof value}`);
  if (wire === "clone") return;
  if (typeof value === "bigint") throw refused(path, "a bigint");
  if (typeof value === "number" && !Number.isFinite(value)) throw refused(path, String(value));
}

function childrenOf(value: object, path: string, wire: Wire): [unknown, string][] {
  if (Array.isArray(value)) return value.map((each, i) => [each, `${path}[${i}]`]);
  if (wire === "clone") {
    if (isLeaf(value)) return [];
    if (value instanceof Set) return [...value].map((each, i) => [each, `${path}.values()[${i}]`]);
    if (value instanceof Map) return entriesOf(value, path);
  }
  if (!isPlain(value)) throw refused(path, `an instance of ${value.constructor?.name || "a class without a name"}`);
  return Object.entries(value).map(([key, each]) => [each, path + accessor(key)]);
}

function entriesOf(map: ReadonlyMap<unknown, unknown>, path: string): [unknown, string][] {
  return [...map].flatMap(([key, value], i) => [
    [key, `${path}.keys()[${i}]`],
    [value, `${path}.values()[${i}]`],
  ]);
}

function isLeaf(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer ||
    value instanceof SharedArrayBuffer ||
    value instanceof Date ||
    value instanceof RegExp ||
    value instanceof Error
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object from another realm (a vm, a test runner) has a plain prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function accessor(key: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function refused(path: string, what: string): SubprocError {
  return new SubprocError("not_serializable", `${path} is ${what}, which cannot be sent to another process.`);
}
