import type { GenerateResult, SamplingParams, SharedPromptText } from "../../engine/engine.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { AnswerStart } from "../../protocols/generation-answer.js";
import { type RecordedTokens } from "../../protocols/logprobs.js";
import type { ServerContext } from "../context.js";
import type { BuiltPrompt } from "./build-prompt.js";
import type { AnswerSink, ModelCall } from "./model-call.js";
import { type ReadOutput } from "./output-reader.js";
export interface GenerationJob {
    readonly call: ModelCall;
    readonly built: BuiltPrompt;
    readonly promptText: SharedPromptText | undefined;
    readonly sampling: SamplingParams;
    readonly start: AnswerStart;
    /** Receives the output while it is generated. */
    readonly sink: AnswerSink | undefined;
    readonly controller: AbortController;
}
export interface GenerationOutcome {
    readonly result: GenerateResult;
    readonly output: ReadOutput;
    /** Complete, but not recorded yet. */
    readonly generation: NativeGeneration;
    /** All tokens, if the request wants log probabilities and the answer is not streamed. */
    readonly tokens: RecordedTokens | undefined;
    /** The parameters that the engine followed: without the budget for the reasoning if it does not enforce that. */
    readonly sampling: SamplingParams;
}
/**
 * Has the engine generate the answer. If there is a sink, writes the output to it while tokens arrive.
 *
 * @param whenTurn resolves when the engine may be called. The sink is started before, because the start of a stream lists all choices
 */
export declare function generate(context: ServerContext, job: GenerationJob, whenTurn?: () => Promise<void>): Promise<GenerationOutcome>;
