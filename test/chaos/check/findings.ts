import { FINDINGS } from "../../soak/check/findings.js";

/** The kinds of errors that the test detects. The values are the rows of its report. */
export const CHAOS_FINDINGS = {
  ...FINDINGS,
  missing: "answered calls missing in the export",
  markedAnswered: "answered calls left out by default, though the server could know of the answer",
  lost: "connections lost without a kill",
  starts: "restarts that failed",
  sessions: "sessions missing after a restart",
  states: "sessions in a wrong state after a restart",
  capacity: "wrong capacities after a restart",
  rewards: "rewards that are not those that were answered",
  repeated: "repeated exports with other bytes",
  refused: "requests refused without a reason",
} as const;

export type ChaosFinding = keyof typeof CHAOS_FINDINGS;

/** Findings that say that something answered is not there any more. */
export const LOSSES: ReadonlySet<ChaosFinding> = new Set([
  "missing",
  "markedAnswered",
  "starts",
  "sessions",
  "rewards",
]);
