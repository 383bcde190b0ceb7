import type { Fault, FinishReason, GenerateOutcome } from "./protocol.js";
import { aborted } from "./scheduler.js";

/** Returns the outcome of a generation after an abort. */
export function cutShort(outcome: GenerateOutcome, fault: Fault | undefined): GenerateOutcome {
  if (fault?.kind === "abort") {
    return { ...outcome, tokens: outcome.tokens.slice(0, fault.after), finish: aborted() };
  }
  if (fault?.kind === "abort-saying") {
    const finish: FinishReason = { type: "abort", message: fault.message, status_code: null, err_type: null };
    return { ...outcome, tokens: outcome.tokens.slice(0, fault.after), finish };
  }
  if (fault?.kind === "abort-in-queue") {
    const finish: FinishReason = { type: "abort", message: "Abort in waiting queue" };
    return { ...outcome, tokens: [], neverRan: true, finish };
  }
  if (fault?.kind === "abort-with-status") {
    const { statusCode, message = "Scheduler says no" } = fault;
    const finish: FinishReason = {
      type: "abort",
      message,
      status_code: statusCode,
      err_type: "x",
    };
    return { ...outcome, tokens: outcome.tokens.slice(0, fault.after ?? 0), finish };
  }
  return outcome;
}
