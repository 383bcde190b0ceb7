import { CodedError } from "../../../support/coded-error.js";

/**
 * Why a sessions file cannot be read.
 *
 * - `not_sessions`: the bytes are something else.
 * - `unknown_format`: another version of Rolltape wrote them.
 * - `damaged`: bytes changed or are missing.
 */
export type SessionsFileErrorCode = "not_sessions" | "unknown_format" | "damaged";

export class SessionsFileError extends CodedError<SessionsFileErrorCode> {
  override readonly name = "SessionsFileError";
}

/**
 * Returns the error of a damaged file.
 *
 * @param name of the file
 * @param reason without a full stop, for example `its end is missing`
 */
export function damaged(name: string, reason: string, cause?: unknown): SessionsFileError {
  return new SessionsFileError("damaged", `${name} is damaged: ${reason}.`, { cause });
}
