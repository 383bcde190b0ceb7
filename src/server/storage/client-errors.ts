import { getSystemErrorMap } from "node:util";
import { ApiError } from "../../http/errors.js";
import type { StorageError } from "../../storage/index.js";

/** Errors of the system by their codes, in the words of a reader. */
const REASONS: Readonly<Record<string, string>> = {
  EIO: "input/output error",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ENOENT: "the file is missing",
  EACCES: "permission denied",
};

/** An error of the system as Node.js describes it: code, description, call and path. Errors of other threads have only this text. */
const SYSTEM_ERROR = /^(E[A-Z0-9]+): /;

/** An absolute path, or a file of the folder. */
const PATH = /(?:^|[\s'"(])\/\w|\/(?:segment-|manifest)/;

/** Returns the error that a client receives: it names no file. Its cause is the original error, which the log has. */
export function toStorageApiError(error: StorageError): ApiError {
  return new ApiError(error.code, describeForClients(error), { cause: error });
}

/** Returns the message of an error without the paths of files. */
export function describeForClients({ message, cause }: StorageError): string {
  const code = cause instanceof Error ? SYSTEM_ERROR.exec(cause.message)?.[1] : undefined;
  if (code === undefined && !PATH.test(message)) return message;
  return `The server cannot write to its storage: ${(code && describeCode(code)) ?? "see the log of the server"}.`;
}

/** Returns the meaning of an error code of the system; undefined if the system does not know it. */
function describeCode(code: string): string | undefined {
  if (code in REASONS) return REASONS[code];
  for (const [name, description] of getSystemErrorMap().values()) if (name === code) return description;
  return undefined;
}
