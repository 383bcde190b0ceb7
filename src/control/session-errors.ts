import { ApiError, toApiError as toCataloguedError } from "../http/errors.js";
import { SessionError } from "../session/errors.js";

/** Returns the answer to an error that was thrown below a route, with options named as HTTP spells them. */
export function toApiError(error: unknown): ApiError {
  if (!(error instanceof SessionError)) return toCataloguedError(error);
  const { code, param, details } = error;
  const spelled = param === undefined ? undefined : snakeCase(param);
  return new ApiError(code, error.spelled(snakeCase), { param: spelled, details, cause: error });
}

/** Returns a name of the library as HTTP spells it: `maxLength` is `max_length`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
