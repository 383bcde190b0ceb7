import { CodedError } from "../../support/coded-error.js";

/** Why `rolltape proxy-config` failed before it wrote a file. */
export type ProxyConfigErrorCode = "invalid_arguments";

export class ProxyConfigError extends CodedError<ProxyConfigErrorCode> {
  override readonly name = "ProxyConfigError";
}
