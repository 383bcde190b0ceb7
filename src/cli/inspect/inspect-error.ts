import { CodedError } from "../../support/coded-error.js";
/** `not_safetensors`: the bytes are no such file, or a damaged one. */
export class InspectError extends CodedError<"not_safetensors"> {
  override readonly name = "InspectError";
}
