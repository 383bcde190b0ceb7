import type { StoredProblem } from "../../session/stored/offline-sessions.js";
import { makeInert } from "../inert-text.js";

/** Returns a line of the list of what is damaged. */
export function describeProblem({ what, reason }: StoredProblem): string {
  return `  ${makeInert(what)}: ${makeInert(reason)}\n`;
}
