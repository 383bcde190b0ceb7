import { untilAborted } from "../../../support/async/until-aborted.js";
import { KeyRefusedError } from "../wire/errors.js";
/** Asks a server whether it is healthy, then whether it knows the model. Never rejects. */
export async function askReadiness(url, questions) {
    const { health, model, signal } = questions;
    for (const [about, question] of [["server", health], ["model", model]]) {
        try {
            signal.throwIfAborted();
            await untilAborted(question(), signal);
        }
        catch (error) {
            return { url, problem: describeProblem(about, error, signal) };
        }
    }
    return { url, problem: undefined };
}
function describeProblem(question, error, signal) {
    const silent = signal.aborted;
    const message = silent
        ? "The engine did not answer in time."
        : error instanceof Error
            ? error.message
            : String(error);
    if (error instanceof KeyRefusedError)
        return { about: "key", message };
    return { about: question === "model" && silent ? "unanswered" : question, message };
}
//# sourceMappingURL=ask-readiness.js.map