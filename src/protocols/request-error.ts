/** A combination of fields that makes no sense; `param` names the field to change. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: "invalid_value" | "unsupported_parameter" | "previous_response_not_found";
  readonly param: string;

  constructor(param: string, message: string, code: RequestError["code"] = "invalid_value") {
    super(message);
    this.param = param;
    this.code = code;
  }
}
