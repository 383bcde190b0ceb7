export interface RefusalFields {
  readonly status?: number;
  readonly type?: string;
  readonly param?: string | null;
}

/** A request that vLLM refuses, with the error that it writes. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly body: object;

  constructor(message: string, { status = 400, type = "BadRequestError", param = null }: RefusalFields = {}) {
    super(message);
    this.status = status;
    this.body = { error: { message, type, param, code: status } };
  }

  /** A body that lacks a field, or has one of another type. */
  static ofField(param: string, message: string): Refusal {
    return new Refusal(message, { type: "Bad Request", param });
  }
}

/** A refusal of vLLM's engine, which checks a request after its server has sent the status of a stream. */
export class LateRefusal extends Refusal {}

/** A refusal whose reason only vLLM's log has: status 500 without a message, also in streams. */
export class HiddenRefusal extends LateRefusal {
  constructor(message = "") {
    super(message, { status: 500, type: "InternalServerError" });
  }
}

/** What every endpoint of a server answers whose engine process has died, if the server was told to stay. */
export class DeadEngine extends Refusal {
  constructor() {
    super(DeadEngine.MESSAGE, { status: 500, type: "InternalServerError" });
  }

  static readonly MESSAGE = "EngineCore encountered an issue. See stack trace (above) for the root cause.";
}
