import type { ServerReadiness } from "../engine.js";

export interface ReadinessQuestions {
  readonly health: () => Promise<void>;
  readonly model: () => Promise<void>;
  /** Ends the wait for answers, even if a question does not listen to it. */
  readonly signal: AbortSignal;
}

/** Asks a server whether it is healthy, then whether it knows the model. Never rejects. */
export async function askReadiness(url: string, questions: ReadinessQuestions): Promise<ServerReadiness> {
  const { health, model, signal } = questions;
  for (const [about, question] of [["server", health] as const, ["model", model] as const]) {
    try {
      await settledBefore(signal, question);
    } catch (error) {
      return { url, problem: { about, message: problemText(error, signal) } };
    }
  }
  return { url, problem: undefined };
}

/** Settles as the question does, or rejects when the signal aborts. */
function settledBefore(signal: AbortSignal, question: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const giveUp = () => reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    question()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", giveUp));
  });
}

function problemText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "The engine did not answer in time.";
  return error instanceof Error ? error.message : String(error);
}
