import type { EpisodeSummary, LinePosition } from "./format.js";

type Entry = EpisodeSummary & LinePosition;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isInteger: Check = (value) => Number.isSafeInteger(value);
const isCount: Check = (value) => isInteger(value) && (value as number) >= 0;
const isNumber: Check = (value) => Number.isFinite(value);
const isRange: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isInteger);

function isCounts(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, count]) => name !== "__proto__" && isCount(count));
}

const REQUIRED: Readonly<Partial<Record<keyof Entry, Check>>> = {
  offset: isCount,
  length: isCount,
  type: (value) => value === "episode",
  task: isCount,
  task_id: isText,
  accepted: isBoolean,
  version: isInteger,
  reward: (value) => value === null || isNumber(value),
  calls: isCount,
  turns: isCount,
  prompt_tokens: isCount,
  completion_tokens: isCount,
  finish_reasons: isCounts,
  broken: isCount,
  left_out: isCount,
  branches: isCount,
};

const OPTIONAL: Readonly<Partial<Record<keyof Entry, Check>>> = {
  session_id: isText,
  group_id: isText,
  error: isText,
  started_at: isNumber,
  duration: isNumber,
  session_reward: isNumber,
  incomplete: isText,
  versions: isRange,
};

const checks: ReadonlyMap<string, Check> = new Map(Object.entries({ ...REQUIRED, ...OPTIONAL }));
const required = Object.keys(REQUIRED) as readonly (keyof Entry)[];

/**
 * Returns true only if a value is an episode of the index that `schema.ts` would return as it is: all fields are valid, and there are no
 * others. The schema takes ten times as long, which is most of the time in which a long index is read.
 */
export function isEpisodeEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Readonly<Record<string, unknown>>;
  for (const name of required) if (entry[name] === undefined) return false;
  for (const name of Object.keys(entry)) if (!checks.get(name)?.(entry[name])) return false;
  return true;
}
