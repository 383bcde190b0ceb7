import { CodedError } from "../support/coded-error.js";
/**
 * `message` and `param` spell options like the library (`maxLength`). Use {@link spelled} for readers of the HTTP API.
 */
export class SessionError extends CodedError {
    name = "SessionError";
    #message;
    constructor(code, message, options) {
        const spelled = typeof message === "string" ? () => message : message;
        super(code, spelled((option) => option), options);
        this.#message = spelled;
    }
    /** Returns the message with options in another spelling. */
    spelled(spell) {
        return this.#message(spell);
    }
}
//# sourceMappingURL=errors.js.map