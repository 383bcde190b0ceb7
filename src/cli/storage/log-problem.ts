import type { StoredProblem } from "../../session/stored/stored-problem.js";
import type { OfflineLog } from "../../storage/index.js";
import { countNoun } from "../count-noun.js";

/** Describes the damage of a log for a list of problems; undefined if it has none. */
export function describeLogProblem(log: OfflineLog | undefined): StoredProblem | undefined {
  if (log?.damage === undefined) return undefined;
  const verb = log.records === 1 ? "is" : "are";
  const kept = `${countNoun(log.records, "record")} of changes before that ${verb} kept, later changes are lost`;
  return { what: "the log", reason: `${log.damage}; ${kept}` };
}
