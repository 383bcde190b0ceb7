import { toSessionApiError } from "../admin-api/session-errors.js";
import { ApiError } from "../http/errors.js";
import { TemplateError } from "../model/chat-model.js";
import { ImagePromptError } from "../model/images/expand-images.js";
import { TokenizerError } from "../model/tokenizer/piece-encoder.js";
import { StorageError } from "../storage/index.js";
import { toStorageApiError } from "./storage/client-errors.js";

/** Advice for the administrator of a server with a damaged session. */
const DAMAGE_ADVICE =
  "Stop the server, then run `rolltape storage verify`, which lists what is damaged, or " +
  "`rolltape storage compact --leave-out-damaged`, which leaves it out.";

/**
 * Returns the error to send for an error that a route threw, including errors of the chat template, the tokenizer and the storage.
 */
export function toServerApiError(error: unknown): ApiError {
  if (error instanceof StorageError) return toStorageApiError(error);
  if (error instanceof TemplateError) {
    const message = `The chat template refused the messages: ${error.message}`;
    return new ApiError("template_error", message, { param: "messages", cause: error });
  }
  if (error instanceof ImagePromptError) {
    return new ApiError("template_error", error.message, { param: "messages", cause: error });
  }
  if (error instanceof TokenizerError) {
    const message = `The tokenizer cannot encode the messages: ${error.message}`;
    return new ApiError("tokenizer_error", message, { param: "messages", cause: error });
  }
  const apiError = toSessionApiError(error);
  if (apiError.code !== "session_damaged") return apiError;
  const { code, message, param, details } = apiError;
  return new ApiError(code, `${message} ${DAMAGE_ADVICE}`, { param, details, cause: error });
}
