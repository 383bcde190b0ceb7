import { CodedError } from "../support/coded-error.js";
/** A failure of an engine. Agents may see the message: it contains no payload, path or stack. */
export class EngineError extends CodedError {
    name = "EngineError";
}
/** A server refused to load weights, so it still has the earlier ones. */
export class NotLoadedError extends EngineError {
}
//# sourceMappingURL=engine.js.map