/**
 * Why a gateway could not answer for its workers.
 *
 * - `worker_unavailable`: the worker that has the session is gone, or none is left.
 * - `invalid_worker_reply`: a worker answered what no worker answers.
 * - `batch_too_large`: the batch of all workers together does not fit the format.
 */
export type GatewayErrorCode = "worker_unavailable" | "invalid_worker_reply" | "batch_too_large";

export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
