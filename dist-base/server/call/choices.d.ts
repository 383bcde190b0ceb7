import type { InFlightCall } from "../../session/calls-in-flight.js";
import type { PreparedMessages } from "../../session/completed-call.js";
import type { AdmittedCall } from "../limits/admission.js";
import type { ModelCall } from "./model-call.js";
/** One of the answers that a call asks for. Each becomes an interaction. */
export interface Choice {
    readonly index: number;
    readonly id: string;
    readonly inFlight: InFlightCall;
    readonly admitted: AdmittedCall | null;
}
/** The choices of a call. */
export interface Choices {
    readonly all: readonly Choice[];
    /** Aborts all of them. */
    readonly controller: AbortController;
}
/**
 * Begins the choices of a call. Each is a separate attempt, which the same choice of a retry repeats.
 *
 * @throws ApiError if the session has no room for all of them
 */
export declare function beginChoices(call: ModelCall, prepared: PreparedMessages): Choices;
