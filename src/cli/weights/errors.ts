import { CodedError } from "../../support/coded-error.js";

/** Why `rolltape weights` failed before it called the proxy. */
export type WeightsCommandErrorCode = "invalid_arguments";

export class WeightsCommandError extends CodedError<WeightsCommandErrorCode> {
  override readonly name = "WeightsCommandError";
}
