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
  if (fault?.kind === "abort") return cut(fault.after, aborted());
  if (fault?.kind === "abort-saying") {
    return cut(fault.after, { type: "abort", message: fault.message, status_code: null, err_type: null });
  }
  if (fault?.kind === "abort-in-queue") return unrun({ type: "abort", message: "Abort in waiting queue" });
  if (fault?.kind === "queue-full") {
    return unrun({ type: "abort", status_code: 503, message: "The request queue is full." });
  }
  if (fault?.kind === "bad-grammar") {
    const { message } = fault;
    const finish: FinishReason = { type: "abort", message, status_code: 400, err_type: "BadRequestError" };
    return { ...cut(0, finish), garbage: outcome.tokens[0] ?? { id: 3, logprob: 0, version: outcome.weightVersion } };
  }
  if (fault?.kind === "abort-with-status") {
    const { statusCode, message = "Scheduler says no", after = 0 } = fault;
    return cut(after, { type: "abort", message, status_code: statusCode, err_type: null });
  }
  return outcome;
}

const CUTS: ReadonlySet<string | undefined> = new Set([
  "abort",
  "abort-saying",
  "abort-with-status",
  "abort-in-queue",
  "queue-full",
  "bad-grammar",
] satisfies Fault["kind"][]);

/** Number of tokens that a stream sends before the fault. */
export function tokensBefore(fault: Fault | undefined): number {
  if (!CUTS.has(fault?.kind)) return Number.POSITIVE_INFINITY;
  return fault && "after" in fault ? (fault.after ?? 0) : 0;
}
