import { toApiError as toControlError } from "../control/session-errors.js";
import { ApiError } from "../http/errors.js";
import { TemplateError } from "../model/chat-model.js";
import { TokenizerError } from "../model/tokenizer/piece-encoder.js";
/** Returns the error to send for an error that a route threw, including errors of the chat template and the tokenizer. */
export function toApiError(error) {
    if (error instanceof TemplateError) {
        const message = `The chat template refused the messages: ${error.message}`;
        return new ApiError("template_error", message, { param: "messages", cause: error });
    }
    if (error instanceof TokenizerError) {
        const message = `The tokenizer cannot encode the messages: ${error.message}`;
        return new ApiError("tokenizer_error", message, { param: "messages", cause: error });
    }
    return toControlError(error);
}
//# sourceMappingURL=errors.js.map