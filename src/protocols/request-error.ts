/** A combination of fields that makes no sense; `param` names the field to change. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}
