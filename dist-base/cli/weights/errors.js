import { CodedError } from "../../support/coded-error.js";
export class WeightsCommandError extends CodedError {
    name = "WeightsCommandError";
}
//# sourceMappingURL=errors.js.map