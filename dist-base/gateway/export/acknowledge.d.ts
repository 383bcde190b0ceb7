import type { GatewayContext } from "../context.js";
/**
 * Acknowledges a batch on every worker that has a part of it, including workers that did not answer their last health check. Waits
 * for absent workers. If a worker fails, the other parts stay acknowledged, and the call can be repeated.
 *
 * @param leave aborts when the client disconnects
 * @throws ApiError `worker_unavailable` if a worker did not answer. It may have a part, so the client must send the call again.
 * @throws ApiError `export_lease_ended` if the lease of a part has ended, or `batch_not_found` if no worker knows the batch
 */
export declare function acknowledge({ pool, upstream, controlMilliseconds }: GatewayContext, id: string, headers: Readonly<Record<string, string>>, leave: AbortSignal): Promise<void>;
