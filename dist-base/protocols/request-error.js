import { CodedError } from "../support/coded-error.js";
/** A request whose fields are valid one by one, but not together. `param` names the field to change. */
export class RequestError extends CodedError {
    name = "RequestError";
    /** @param param path of the field at fault, such as `messages[0].role` */
    constructor(param, message, code = "invalid_value") {
        super(code, message, { param });
    }
}
//# sourceMappingURL=request-error.js.map