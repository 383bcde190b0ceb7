import type { Grammar, LogprobContent, SamplingParams } from "../../engine/engine.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
import { type RecordedSampling } from "../../session/recorded-sampling.js";
import type { ServerContext } from "../context.js";
export interface OutputLimits {
    /** Tokens that the context has left for the output, at least 1. */
    readonly tokensLeft: number;
    readonly grammar: Grammar | undefined;
    /** Maximum number of reasoning tokens. */
    readonly thinkingBudget: number | undefined;
}
export interface CompletedSampling {
    readonly params: SamplingParams;
    /** Names of the fields whose value the configuration changed. */
    readonly overridden: readonly string[];
}
/**
 * Replaces the sampling parameters that the configuration fixes and fills in those that the request leaves open.
 */
export declare function completeSampling(context: ServerContext, request: RequestSampling, limits: OutputLimits): CompletedSampling;
/** Returns the parameters for one of several choices. With equal seeds, all choices would be equal. */
export declare function forChoice(params: SamplingParams, choice: number): SamplingParams;
/**
 * Returns the sampling to record for a call.
 *
 * @param params the parameters that were sent to the engine, and the budget that it enforced
 */
export declare function toRecordedSampling(params: SamplingParams, { overridden }: CompletedSampling, logprobs: LogprobContent): RecordedSampling;
