import { CodedError } from "../support/coded-error.js";
/** The chat template refused the conversation; the message is the template's own. */
export class TemplateError extends CodedError {
    name = "TemplateError";
    constructor(message, options) {
        super("template_error", message, options);
    }
}
//# sourceMappingURL=chat-model.js.map