import { CodedError } from "../../support/coded-error.js";
/**
 * - `invalid_option`: a limit or version that is no number of its kind.
 * - `version_went_back`: a version below the one that stands.
 * - `no_more_tasks`: a task was submitted after the last.
 * - `several_proxies`: the sessions of a batch live at more than one address; no single call exports them.
 */
export type ControllerErrorCode = "invalid_option" | "version_went_back" | "no_more_tasks" | "several_proxies";

export class ControllerError extends CodedError<ControllerErrorCode> {
  override readonly name = "ControllerError";
}
