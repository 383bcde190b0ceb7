import { CodedError } from "../support/coded-error.js";
type RequestErrorCode = "invalid_value" | "unsupported_parameter" | "previous_response_not_found";
/** A request whose fields are valid one by one, but not together. `param` names the field to change. */
export declare class RequestError extends CodedError<RequestErrorCode> {
    readonly name = "RequestError";
    /** @param param path of the field at fault, such as `messages[0].role` */
    constructor(param: string, message: string, code?: RequestErrorCode);
}
export {};
