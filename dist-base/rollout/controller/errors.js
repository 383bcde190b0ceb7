import { CodedError } from "../../support/coded-error.js";
export class ControllerError extends CodedError {
    name = "ControllerError";
}
//# sourceMappingURL=errors.js.map