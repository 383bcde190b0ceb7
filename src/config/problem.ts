import type { z } from "zod";
import type { ConfigProblem } from "./errors.js";
import { findKey } from "./key.js";
import { nearestKey } from "./suggestion.js";

/** Characters of a wrong value that an error shows. */
const SHOWN_LENGTH = 60;

/** The sentence for an issue that the schema has no own words for. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  const path = issue.path ?? [];
  const key = findKey(path.filter((part) => typeof part === "string").join("."));
  if (!key) return `expected a map of keys, got ${show(issue.input)}`;
  const isEntry = typeof path.at(-1) === "number";
  const expected = isEntry ? key.expectedEntry : key.expected;
  return `expected ${expected}, got ${key.isSecret ? hide(issue.input) : show(issue.input)}`;
}

/** An issue of the schema as problems: one, or one for every unknown key. */
export function toProblems(issue: z.core.$ZodIssue): ConfigProblem[] {
  if (issue.code !== "unrecognized_keys") return [{ path: pathText(issue.path), message: issue.message }];
  return issue.keys.map((name) => {
    const nearest = nearestKey([...issue.path, name].join("."));
    return { path: pathText([...issue.path, name]), message: `unknown key, the nearest known one is ${nearest}` };
  });
}

/** `engine.urls[0]`; a key with a dot of its own appears in quotes. */
function pathText(path: readonly PropertyKey[]): string {
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
