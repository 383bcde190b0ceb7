import { untilAborted } from "../../../support/async/until-aborted.js";
import type { ReadinessProblem, ServerReadiness, ServerWarning } from "../../engine.js";
import { KeyRefusedError } from "../wire/errors.js";

export interface ReadinessQuestions {
  readonly health: () => Promise<void>;
  readonly model: () => Promise<void>;
  readonly warnings: () => Promise<readonly ServerWarning[]>;
  /** Ends the wait for answers, even if a question ignores it. */
  readonly signal: AbortSignal;
}

/** Asks a server whether it is healthy, then whether it knows the model, then for its warnings. Never rejects. */
export async function askReadiness(url: string, questions: ReadinessQuestions): Promise<ServerReadiness> {
  const { health, model, signal } = questions;
  for (const [about, question] of [["server", health] as const, ["model", model] as const]) {
    try {
      signal.throwIfAborted();
      await untilAborted(question(), signal);
    } catch (error) {
      return { url, problem: describeProblem(about, error, signal) };
    }
  }
  const warnings = await untilAborted(questions.warnings(), signal).catch(() => []);
  return { url, problem: undefined, ...(warnings.length > 0 && { warnings }) };
}

function describeProblem(question: "server" | "model", error: unknown, signal: AbortSignal): ReadinessProblem {
  const silent = signal.aborted;
  const message = silent
    ? "The engine did not answer in time."
    : error instanceof Error
      ? error.message
      : String(error);
  if (error instanceof KeyRefusedError) return { about: "key", message };
  return { about: question === "model" && silent ? "unanswered" : question, message };
}
