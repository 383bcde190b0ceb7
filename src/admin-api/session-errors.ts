import { ApiError, toApiError as toCataloguedError } from "../http/errors.js";
import { SessionError } from "../session/errors.js";

/** Returns the error to send for an error that a route threw. Option names are spelled as in HTTP bodies. */
export function toSessionApiError(error: unknown): ApiError {
  if (!(error instanceof SessionError)) return toCataloguedError(error);
  const { code, param, details } = error;
  const spelled = param === undefined ? undefined : snakeCase(param);
  return new ApiError(code, error.spelled(snakeCase), { param: spelled, details, cause: error });
}

/** Returns the spelling of an option in HTTP bodies: `maxLength` becomes `max_length`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
