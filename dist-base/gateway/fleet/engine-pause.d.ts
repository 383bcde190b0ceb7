import type { GatewayContext } from "../context.js";
import { type Fleet } from "./fleet.js";
type Headers = Readonly<Record<string, string>>;
/** Pauses and resumes the engines of all workers. Requests run one after the other, and each server is called once. */
export declare class EnginePause {
    #private;
    constructor(context: GatewayContext);
    /**
     * Pauses every engine server behind the gateway and the model calls of every worker, including workers that join meanwhile.
     *
     * @throws ApiError that names the worker that failed; nothing is paused then
     */
    pause(mode: "abort" | "keep", headers: Headers): Promise<Fleet>;
    /**
     * Resumes every engine server and the model calls of every worker.
     *
     * @throws ApiError that names a worker that could not be resumed, or whose server could not; all others are resumed then
     */
    resume(headers: Headers): Promise<Fleet>;
}
export {};
