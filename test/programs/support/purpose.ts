import { findShell } from "./known-tools.js";
import type { PromptView } from "./prompt-view.js";
import { DELEGATED, REQUEST, RESUMED, SUMMARY } from "./tasks.js";

/**
 * What a call is for: the task, the task of a resumed conversation, a summary, the task after the summary, a part of the task that a
 * sub-agent does, or something else, such as a title.
 */
export type Purpose = "task" | "resumed" | "compaction" | "compacted" | "delegated" | "side";

export interface PurposeOfCall {
  readonly purpose: Purpose;
  /** Number of results since the user asked for that. */
  readonly results: number;
}

/** What the user says in the calls of each purpose. The first that occurs is the purpose, because later requests repeat earlier ones. */
const WORDS = [
  ["compacted", SUMMARY.split("\n")[0] ?? ""],
  ["resumed", RESUMED],
  ["task", REQUEST],
  ["delegated", DELEGATED],
] as const;

/** Programs ask for a summary in the user's last turn, in their own words. A notification can have an element of that name. */
const SUMMARY_REQUEST = /(?<![</])\bsummary\b/i;

export function readPurpose({ tools, userTurns }: PromptView): PurposeOfCall {
  const found = WORDS.map(([purpose, words]) => ({
    purpose,
    start: userTurns.findIndex(({ text }) => text.includes(words)),
  })).find(({ start }) => start >= 0);
  if (!found) return { purpose: "side", results: 0 };
  const isLastTurn = found.start === userTurns.length - 1;
  // Titles are asked for in the user's first turn.
  if (!isLastTurn && SUMMARY_REQUEST.test(userTurns.at(-1)?.text ?? "")) return { purpose: "compaction", results: 0 };
  if (!findShell(tools)) return { purpose: "side", results: 0 };
  const later = userTurns.slice(found.start);
  return { purpose: found.purpose, results: later.reduce((sum, { results }) => sum + results, 0) };
}
