import { types } from "node:util";
import { SubprocError } from "./errors.js";

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
  if (wire === "clone") assertCloned(value, path);
  if (Array.isArray(value)) return wire === "clone" ? propertiesOf(value, path) : itemsOf(value, path);
  if (wire === "clone") {
    if (isLeaf(value)) return [];
    if (value instanceof Set) return [...value].map((each, i) => [each, `${path}.values()[${i}]`]);
    if (value instanceof Map) return entriesOf(value, path);
  }
  if (!isPlain(value)) throw refused(path, `an instance of ${value.constructor?.name || "a class without a name"}`);
  return propertiesOf(value, path);
}

/** What is plain to look at and yet not cloned. */
function assertCloned(value: object, path: string): void {
  if (types.isProxy(value)) throw refused(path, "a Proxy");
  const buffer = ArrayBuffer.isView(value) ? value.buffer : value;
  if (types.isSharedArrayBuffer(buffer)) throw refused(path, "shared memory");
  if (types.isArrayBuffer(buffer) && isDetached(buffer))
    throw refused(path, "memory that was handed on to someone else");
}

function isDetached(buffer: ArrayBuffer): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

function itemsOf(list: readonly unknown[], path: string): [unknown, string][] {
  return list.map((each, i) => [each, `${path}[${i}]`]);
}

function propertiesOf(value: object, path: string): [unknown, string][] {
  return Object.keys(value).map((key) => {
    const at = Array.isArray(value) && /^\d+$/.test(key) ? `${path}[${key}]` : path + accessor(key);
    return [read(value, key, at), at];
  });
}

/** A getter may throw. */
function read(value: object, key: string, path: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch (error) {
    throw refused(path, `a getter that throws (${error instanceof Error ? error.message : String(error)})`);
  }
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
