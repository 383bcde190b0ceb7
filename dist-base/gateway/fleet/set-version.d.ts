import type { GatewayContext } from "../context.js";
import type { UpstreamReply } from "../upstream.js";
/**
 * Sets the weight version on every worker, and returns the reply of one. A worker that joins later reads the version from the
 * shared folder, or receives it with its first session.
 *
 * @param body the client's body
 * @throws ApiError that names the first worker that returns an error or does not answer
 */
export declare function setVersion(context: GatewayContext, headers: Readonly<Record<string, string>>, body: {
    readonly version: number;
}): Promise<UpstreamReply>;
