import { toApiError as toControlError } from "../control/session-errors.js";
import { ApiError } from "../http/errors.js";
import { TemplateError } from "../model/chat-model.js";

/** Returns the answer to an error that was thrown below a route. */
export function toApiError(error: unknown): ApiError {
  if (!(error instanceof TemplateError)) return toControlError(error);
  const message = `The chat template refused the messages: ${error.message}`;
  return new ApiError("template_error", message, { param: "messages", cause: error });
}
