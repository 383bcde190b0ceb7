import type { EngineReply } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { type LogprobContent, type PauseMode, type WeightSource } from "../engine.js";
import type { EngineServer, ServerCall, WeightUpdate } from "../servers/engine-server.js";
import type { SglangOptions } from "./sglang-options.js";
/** One SGLang server, or a router in front of several. */
export declare class SglangServer implements EngineServer {
    #private;
    readonly url: string;
    /** SGLang does not report SGLANG_RETURN_ORIGINAL_LOGPROB, so its default is assumed. */
    readonly logprobs = "temperature";
    constructor(url: string, options: SglangOptions);
    request(call: ServerCall, signal: AbortSource): Promise<EngineReply>;
    findLogprobs(): Promise<LogprobContent>;
    contextLength(): Promise<number>;
    weightUpdate(): Promise<WeightUpdate>;
    health(signal?: AbortSignal): Promise<void>;
    /** Any status counts as an answer, for example a router's 404 or a refused key. */
    schedulerHealth(signal?: AbortSignal): Promise<void>;
    pause(mode: PauseMode): Promise<void>;
    resume(): Promise<void>;
    /** `keep_pause` keeps the scheduler paused afterwards. Older servers ignore it and never resume on their own. */
    loadWeights({ path, version }: WeightSource, signal: AbortSignal): Promise<void>;
    flushCache(signal: AbortSignal): Promise<void>;
    /** Without `abort_all_requests`, SGLang would abort all requests. */
    setWeightVersion(version: number, signal: AbortSignal): Promise<void>;
    close(): Promise<void>;
}
