import { CodedError } from "../coded-error.js";
/** `not_safetensors`: the bytes are not a safetensors file, or a damaged one. */
export class SafetensorsError extends CodedError {
    name = "SafetensorsError";
    /** The reason why the bytes are invalid. */
    reason;
    constructor(reason) {
        super("not_safetensors", `not a safetensors file: ${reason}`);
        this.reason = reason;
    }
}
//# sourceMappingURL=errors.js.map