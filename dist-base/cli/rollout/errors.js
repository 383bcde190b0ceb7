import { CodedError } from "../../support/coded-error.js";
export class RolloutJobError extends CodedError {
    name = "RolloutJobError";
}
//# sourceMappingURL=errors.js.map