import { types } from "node:util";
import { SubprocError } from "./errors.js";

/** How a value is sent. `clone`: to a worker process, by structured clone. `json`: to a program, as JSON. */
export type Wire = "clone" | "json";

/**
 * Refuses values that would not arrive unchanged in another process: functions, symbols, promises, weak collections,
 * and instances of classes, which would lose their class. Plain objects and arrays can be sent. A worker can also
 * receive Map, Set, Date, RegExp, errors, buffers, typed arrays and cycles.
 *
 * @param name name of the value in the error, such as `data`
 * @throws SubprocError `not_serializable`, naming the property: `data.tools[0].call is a function`
 */
export function assertSerializable(value: unknown, name: string, wire: Wire = "clone"): void {
  const seen = new Map<object, string>();
  // A work list instead of recursion, because data may be nested deeper than the call stack allows.
  const pending: [unknown, string][] = [[value, name]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [current, path] = next;
    assertPrimitive(current, path, wire);
    if (typeof current !== "object" || current === null) continue;
    const first = seen.get(current);
    if (first !== undefined && wire === "json" && isWithin(path, first)) throw refused(path, "a part of itself");
    if (first !== undefined) continue;
    seen.set(current, path);
    pending.push(...listChildren(current, path, wire).reverse());
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

function listChildren(value: object, path: string, wire: Wire): [unknown, string][] {
  if (wire === "clone") assertCloneable(value, path);
  if (Array.isArray(value)) return wire === "clone" ? listProperties(value, path) : listItems(value, path);
  if (wire === "clone") {
    if (isLeaf(value)) return [];
    if (value instanceof Set) return [...value].map((member, i) => [member, `${path}.values()[${i}]`]);
    if (value instanceof Map) return listEntries(value, path);
  }
  if (!isPlain(value)) throw refused(path, `an instance of ${value.constructor?.name || "a class without a name"}`);
  return listProperties(value, path);
}

/** Refuses objects that look plain but cannot be cloned. */
function assertCloneable(value: object, path: string): void {
  if (types.isProxy(value)) throw refused(path, "a Proxy");
  const buffer = ArrayBuffer.isView(value) ? value.buffer : value;
  if (types.isSharedArrayBuffer(buffer)) throw refused(path, "shared memory");
  if (types.isArrayBuffer(buffer) && isDetached(buffer)) throw refused(path, "a detached ArrayBuffer");
}

function isDetached(buffer: ArrayBuffer): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

function listItems(list: readonly unknown[], path: string): [unknown, string][] {
  return list.map((item, i) => [item, `${path}[${i}]`]);
}

function listProperties(value: object, path: string): [unknown, string][] {
  return Object.keys(value).map((key) => {
    const at = Array.isArray(value) && /^\d+$/.test(key) ? `${path}[${key}]` : path + accessor(key);
    return [read(value, key, at), at];
  });
}

/** Reads a property. A getter may throw. */
function read(value: object, key: string, path: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch (error) {
    throw refused(path, `a getter that throws (${error instanceof Error ? error.message : String(error)})`);
  }
}

function listEntries(map: ReadonlyMap<unknown, unknown>, path: string): [unknown, string][] {
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

function refused(path: string, kind: string): SubprocError {
  return new SubprocError("not_serializable", `${path} is ${kind}, which cannot be sent to another process.`);
}
