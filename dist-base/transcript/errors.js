import { CodedError } from "../support/coded-error.js";
/** A transcript that cannot be read. */
export class TranscriptError extends CodedError {
    name = "TranscriptError";
}
//# sourceMappingURL=errors.js.map