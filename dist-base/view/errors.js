import { CodedError } from "../support/coded-error.js";
/** `rolltape view` cannot open what it was asked to show. */
export class ViewError extends CodedError {
    name = "ViewError";
}
//# sourceMappingURL=errors.js.map