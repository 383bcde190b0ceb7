import { CodedError } from "../../support/coded-error.js";

/**
 * - `controller_unreachable`: the controller did not answer for too long, or its address is not known.
 * - `controller_refused`: it refused a call, for example because of another admin key.
 */
export type RolloutWorkerErrorCode = "controller_unreachable" | "controller_refused";

export class RolloutWorkerError extends CodedError<RolloutWorkerErrorCode> {
  override readonly name = "RolloutWorkerError";
}
