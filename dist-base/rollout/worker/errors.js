import { CodedError } from "../../support/coded-error.js";
export class RolloutWorkerError extends CodedError {
    name = "RolloutWorkerError";
}
//# sourceMappingURL=errors.js.map