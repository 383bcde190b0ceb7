import { ApiError } from "../../http/errors.js";
import { errorOf } from "../export/refusal.js";
import type { UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";

/** Returns a worker's refusal as the gateway's own error, with the worker's tag. Refused keys concern no worker. */
export function namedRefusal({ tag }: Worker, reply: UpstreamReply, outcome = ""): ApiError {
  const { code, message, param, details } = errorOf(reply);
  if (reply.status === 401 || reply.status === 403) return new ApiError(code, message, { param, details });
  const text = `Worker ${tag}: ${message}${outcome === "" ? "" : ` ${outcome}`}`;
  return new ApiError(code, text, { param, details: { ...details, worker: tag } });
}

/** @param outcome what has become of the other workers */
export function silentWorker({ tag }: Worker, outcome: string): ApiError {
  return new ApiError("worker_unavailable", `Worker ${tag} did not answer. ${outcome}`, { details: { worker: tag } });
}
