import { CodedError } from "../../support/coded-error.js";
/** Why `rolltape weights` failed before it called the proxy. */
export type WeightsCommandErrorCode = "invalid_arguments";
export declare class WeightsCommandError extends CodedError<WeightsCommandErrorCode> {
    readonly name = "WeightsCommandError";
}
