import { CodedError } from "../support/coded-error.js";
export class SchedulerError extends CodedError {
    name = "SchedulerError";
}
//# sourceMappingURL=errors.js.map