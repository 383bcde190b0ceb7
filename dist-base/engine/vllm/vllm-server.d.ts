import type { EngineReply } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { type GenerateCall, type LogprobContent, type PauseMode, type WeightSource } from "../engine.js";
import type { EngineServer, ServerCall, WeightUpdate } from "../servers/engine-server.js";
import type { VllmOptions } from "./vllm-options.js";
/** One vLLM server, or a router in front of several. A generation is aborted by closing its connection. */
export declare class VllmServer implements EngineServer {
    #private;
    readonly url: string;
    constructor(url: string, { maxInflight, model, api, ...keys }: VllmOptions);
    request(call: ServerCall, signal: AbortSource): Promise<EngineReply>;
    get logprobs(): LogprobContent | undefined;
    findLogprobs(call: GenerateCall): Promise<LogprobContent>;
    requireModel(): Promise<void>;
    contextLength(): Promise<number>;
    /** Both endpoints exist only in vLLM's development mode, like `/pause`. */
    weightUpdate(): Promise<WeightUpdate>;
    /** vLLM's `/health` generates nothing; it fails if the engine's process has died. */
    health(signal?: AbortSignal): Promise<void>;
    pause(mode: PauseMode): Promise<void>;
    resume(): Promise<void>;
    /** Every worker of the server reads the folder itself. Only servers in development mode have these endpoints. */
    loadWeights({ path }: WeightSource, signal: AbortSignal): Promise<void>;
    flushCache(signal: AbortSignal): Promise<void>;
    setWeightVersion(version: number, signal: AbortSignal): Promise<void>;
    close(): Promise<void>;
}
