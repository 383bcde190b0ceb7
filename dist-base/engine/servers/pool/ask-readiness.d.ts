import type { ServerReadiness } from "../../engine.js";
export interface ReadinessQuestions {
    readonly health: () => Promise<void>;
    readonly model: () => Promise<void>;
    /** Ends the wait for answers, even if a question ignores it. */
    readonly signal: AbortSignal;
}
/** Asks a server whether it is healthy, then whether it knows the model. Never rejects. */
export declare function askReadiness(url: string, questions: ReadinessQuestions): Promise<ServerReadiness>;
