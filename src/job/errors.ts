import { CodedError } from "../support/coded-error.js";

/**
 * - `invalid_option`: a limit or a version is out of its range.
 * - `version_went_back`: the new version is below the current one.
 * - `no_more_tasks`: a task was submitted after `finish` or `stop`.
 * - `several_proxies`: the sessions of a batch are on several proxies, so that one call cannot export them.
 */
export type ControllerErrorCode = "invalid_option" | "version_went_back" | "no_more_tasks" | "several_proxies";

export class ControllerError extends CodedError<ControllerErrorCode> {
  override readonly name = "ControllerError";
}
