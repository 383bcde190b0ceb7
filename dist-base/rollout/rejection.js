import { CodedError } from "../support/coded-error.js";
const CODES = [
    "agent_error",
    "invalid_reward",
    "no_model_calls",
    "unknown_interaction",
    "episode_timeout",
    "episode_aborted",
    "start_failed",
    "export_failed",
    "group_incomplete",
    "workflow_error",
    "worker_lost",
];
export function isRejectionCode(code) {
    return CODES.some((known) => known === code);
}
/** The reason of a rejection. `cause` is the error that led to it, if there was one. */
export class Rejection extends CodedError {
    name = "Rejection";
    /** Converts a thrown value to a rejection. A rejection is returned as it is. */
    static from(code, error) {
        if (error instanceof Rejection)
            return error;
        return new Rejection(code, error instanceof Error ? error.message : String(error), { cause: error });
    }
}
//# sourceMappingURL=rejection.js.map