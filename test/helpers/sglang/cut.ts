import type { Fault, FinishReason, GenerateOutcome } from "./protocol.js";
import { aborted } from "./scheduler.js";

/** Returns the outcome of an aborted request. */
export function cutShort(outcome: GenerateOutcome, fault: Fault | undefined): GenerateOutcome {
  const cut = (after: number, finish: FinishReason): GenerateOutcome => ({
    ...outcome,
    tokens: outcome.tokens.slice(0, after),
    finish,
  });
  const unrun = (finish: FinishReason): GenerateOutcome => ({ ...outcome, tokens: [], neverRan: true, finish });
  switch (fault?.kind) {
    case "abort":
      return cut(fault.after, aborted());
    case "abort-saying":
      return cut(fault.after, { type: "abort", message: fault.message, status_code: null, err_type: null });
    case "abort-in-queue":
      return unrun({ type: "abort", message: "Abort in waiting queue" });
    case "queue-full":
      return unrun({ type: "abort", status_code: 503, message: "The request queue is full." });
    case "bad-grammar": {
      const { message } = fault;
      const finish: FinishReason = { type: "abort", message, status_code: 400, err_type: "BadRequestError" };
      return { ...cut(0, finish), garbage: outcome.tokens[0] ?? { id: 3, logprob: 0, version: outcome.weightVersion } };
    }
    case "abort-with-status": {
      const { statusCode, message = "Scheduler says no", after = 0 } = fault;
      return cut(after, { type: "abort", message, status_code: statusCode, err_type: null });
    }
    default:
      return outcome;
  }
}

/** Number of tokens that a stream sends before the fault. */
export function tokensBefore(fault: Fault | undefined): number {
  switch (fault?.kind) {
    case "abort":
    case "abort-saying":
    case "abort-with-status":
      return fault.after ?? 0;
    case "abort-in-queue":
    case "queue-full":
    case "bad-grammar":
      return 0;
    default:
      return Number.POSITIVE_INFINITY;
  }
}
