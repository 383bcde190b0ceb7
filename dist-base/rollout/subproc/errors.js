import { CodedError } from "../../support/coded-error.js";
const CODES = [
    "not_serializable",
    "worker_start_failed",
    "worker_exited",
    "program_not_started",
    "program_failed",
    "invalid_program_output",
    "agent_timeout",
    "pool_closed",
];
export class SubprocError extends CodedError {
    name = "SubprocError";
}
export function isSubprocCode(code) {
    return CODES.some((known) => known === code);
}
//# sourceMappingURL=errors.js.map