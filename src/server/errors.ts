import { toApiError as toControlError } from "../control/session-errors.js";
import { ApiError } from "../http/errors.js";
import { TemplateError } from "../model/chat-model.js";

/** Returns the error to send for an error that a route threw, including errors of the chat template. */
export function toApiError(error: unknown): ApiError {
  if (!(error instanceof TemplateError)) return toControlError(error);
  const message = `The chat template refused the messages: ${error.message}`;
  return new ApiError("template_error", message, { param: "messages", cause: error });
}
