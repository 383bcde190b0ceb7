import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Finish, GenerateCall } from "../engine.js";
import type { OutputWriter } from "./output-writer.js";
import type { Sampler } from "./sampler.js";
import type { Slot } from "./sequence-pool.js";
export type LlamaSlot = Slot<LlamaContextSequence>;
/** Runs one step of a call. Waits during a pause, and rejects if the call was aborted. */
export type RunStep = <T>(step: () => Promise<T>) => Promise<T>;
export interface Decoded {
    readonly finish: Finish;
    /** How often the weights were replaced after the first output token. */
    readonly resumes: number;
}
/**
 * Cuts the slot's cache to a prefix of the prompt.
 *
 * @returns number of cached prompt tokens. The last prompt token is never cached, because sampling needs its logits.
 */
export declare function reuseCache({ sequence, cached }: LlamaSlot, prompt: readonly Token[], shared: number): Promise<number>;
/**
 * Evaluates the prompt tokens that are not cached, and samples until a stop token, a stop string or the token limit.
 *
 * Each step evaluates the tokens that the cache lacks. If the weights are replaced between two steps, the cache is empty, and
 * the next steps evaluate prompt and output again.
 */
export declare function decode(slot: LlamaSlot, prompt: readonly Token[], sampler: Sampler, { sampling, currentVersion }: Pick<GenerateCall, "sampling" | "currentVersion">, writer: OutputWriter, runStep: RunStep): Promise<Decoded>;
