import type { RequestSampling } from "../../protocols/request-sampling.js";
import type { ServerContext } from "../context.js";
/**
 * Checks sampling parameters that are valid one by one, but not together or not on this engine.
 *
 * @throws RequestError
 */
export declare function checkSampling({ engine, settings }: ServerContext, request: RequestSampling): void;
