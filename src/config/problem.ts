import { distance } from "fastest-levenshtein";
import type { z } from "zod";
import type { ConfigProblem } from "./errors.js";
import { configKeys, configSections, findKey } from "./key.js";

const KNOWN = [...configKeys.map(({ path }) => path), ...configSections];

/** New names of keys that were renamed, if another known key looks more similar. */
const RENAMED = new Map([["engine.connections", "engine.max_inflight"]]);

/**
 * Returns the known key to suggest for an unknown one: its new name if it was renamed, else the most similar key. Similarity
 * compares the last names first, then the whole paths.
 */
function findNearestKey(unknown: string): string {
  const renamed = RENAMED.get(unknown);
  if (renamed !== undefined) return renamed;
  let best = { path: "", score: Number.POSITIVE_INFINITY };
  for (const path of KNOWN) {
    const score = distance(lastPart(unknown), lastPart(path)) + distance(unknown, path) / 100;
    if (score < best.score) best = { path, score };
  }
  return best.path;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/** Number of characters of a wrong value that an error shows. */
const SHOWN_LENGTH = 60;

/** Returns the message for an issue that has no message in the schema. */
export function describeConfigIssue(issue: z.core.$ZodRawIssue): string {
  const path = issue.path ?? [];
  const key = findKey(path.filter((part) => typeof part === "string").join("."));
  if (!key) return `expected a map of keys, got ${show(issue.input)}`;
  const isEntry = typeof path.at(-1) === "number";
  const expected = isEntry ? key.expectedEntry : key.expected;
  return `expected ${expected}, got ${key.isSecret ? hide(issue.input) : show(issue.input)}`;
}

/** Converts an issue of the schema: to one problem, or to one per unknown key. */
export function toProblems(issue: z.core.$ZodIssue): ConfigProblem[] {
  if (issue.code !== "unrecognized_keys") return [{ path: formatPath(issue.path), message: issue.message }];
  // Similar keys are known only for the configuration's own keys, not for those of maps in lists.
  if (issue.path.some((part) => typeof part === "number")) {
    return issue.keys.map((name) => ({ path: formatPath([...issue.path, name]), message: "unknown key" }));
  }
  return issue.keys.map((name) => {
    const nearest = findNearestKey([...issue.path, name].join("."));
    return { path: formatPath([...issue.path, name]), message: `unknown key; did you mean ${nearest}?` };
  });
}

/** Returns a path as text: `engine.urls[0]`. A key that contains a dot is quoted. */
function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the configuration";
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const name = String(part);
    const shown = /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
    return text === "" ? shown : `${text}.${shown}`;
  }, "");
}

function show(value: unknown): string {
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function hide(value: unknown): string {
  return typeof value === "string" ? `${value.length} characters` : `a value of type ${typeof value}`;
}
