import { describe } from "./describe.js";
import { Rejection } from "./rejection.js";

/** What an agent returned: one number, or a reward for each of these interactions. */
export type ReturnedReward = { readonly number: number } | { readonly byId: ReadonlyMap<string, number> };

/** The greatest finite float32, in which rewards are exported. */
const MAX_REWARD = 3.4028234663852886e38;

/** Reads an agent's return value; throws a {@link Rejection} where it is no reward. */
export function readReward(value: unknown): ReturnedReward {
  if (typeof value === "number") return { number: finite(value, "") };
  const entries = entriesOf(value);
  if (!entries) throw invalid(describe(value));
  return { byId: new Map(entries.map(([id, reward]) => [idOf(id), finite(reward, ` for ${describe(id)}`)])) };
}

function entriesOf(value: unknown): [unknown, unknown][] | undefined {
  if (value instanceof Map) return [...value];
  return isPlainObject(value) ? Object.entries(value) : undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object from another realm (a vm, a worker) has a plain prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function idOf(id: unknown): string {
  if (typeof id !== "string") throw invalid(`a Map with ${describe(id)} as a key`);
  return id;
}

function finite(value: unknown, what: string): number {
  if (typeof value !== "number" || !(Math.abs(value) <= MAX_REWARD)) throw invalid(describe(value) + what);
  return value;
}

function invalid(given: string): Rejection {
  const expected = "a finite number, or a plain object or Map of completion ids to such";
  return new Rejection("invalid_reward", `The agent returned ${given}. Expected ${expected}.`);
}
