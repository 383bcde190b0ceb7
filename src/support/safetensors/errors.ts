import { CodedError } from "../coded-error.js";

/** `not_safetensors`: the bytes are not a safetensors file, or a damaged one. */
export class SafetensorsError extends CodedError<"not_safetensors"> {
  override readonly name = "SafetensorsError";
  /** The reason why the bytes are invalid. */
  readonly reason: string;

  constructor(reason: string) {
    super("not_safetensors", `not a safetensors file: ${reason}`);
    this.reason = reason;
  }
}
