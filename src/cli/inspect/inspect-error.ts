/** `not_safetensors`: the bytes are no such file, or a damaged one. */
export class InspectError extends Error {
  override readonly name = "InspectError";
  readonly code: "not_safetensors";

  constructor(code: "not_safetensors", message: string) {
    super(message);
    this.code = code;
  }
}
