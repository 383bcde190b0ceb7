import type { FastifyBaseLogger } from "fastify";
import { type CutAnswer } from "../http/connections/answer.js";
import type { ServerContext } from "./context.js";
/** Describes what was lost when the server stopped. */
export interface StopReport {
    /** Calls that were still in flight. */
    readonly abortedCalls: number;
    /** Ids of the sessions with interactions that were not exported, or whose export was cut. */
    readonly lostSessions: readonly string[];
    readonly cutAnswers: readonly CutAnswer[];
    /** False if an answer was cut or an ended session was not exported. */
    readonly complete: boolean;
}
/**
 * Stops accepting sessions and model calls. Waits for calls in flight, for exports of ended sessions and for answers that are
 * being sent, for up to `shutdownSeconds`. Then aborts the remaining calls, cuts the remaining answers, and logs what was lost.
 */
export declare function drain(context: ServerContext, logger: FastifyBaseLogger): Promise<StopReport>;
