import { STATUS_CODES } from "node:http";
import { CodedError } from "../../support/coded-error.js";

/**
 * - `invalid_address`: a text is no `s3://` address.
 * - `package_missing`: the package `@aws-sdk/client-s3` is not installed.
 * - `archive_failed`: the store refused or did not answer a request.
 */
export type ArchiveErrorCode = "invalid_address" | "package_missing" | "archive_failed";

/** Why an S3 store cannot be used. */
export class ArchiveError extends CodedError<ArchiveErrorCode> {
  override readonly name = "ArchiveError";
}

/** Returns the reason of a failed request, with the code that the store or the system gives it. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  // The answer to a HEAD request has no body that could give a reason.
  const isUnknown = message === "" || message === "UnknownError";
  const text = isUnknown ? (STATUS_CODES[status ?? 0] ?? name) : name === "Error" ? message : `${name}: ${message}`;
  return status === undefined ? text : `${text} (HTTP ${status})`;
}

/** Returns the error of a failed request. */
export function requestError(what: string, cause: unknown): ArchiveError {
  return new ArchiveError("archive_failed", `${what}: ${describeFailure(cause)}.`, { cause });
}
