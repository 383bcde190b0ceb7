import type { GenerateResult, SamplingParams } from "../../engine/engine.js";
import { native } from "../../native/addon.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { AnswerStart } from "../../protocols/generation-answer.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import type { ServerContext } from "../context.js";
import type { ModelCall } from "./model-call.js";
import { OutputReader, type ReadOutput, recordedTokens } from "./output-reader.js";
import type { BuiltPrompt } from "./prompt.js";

export interface Generating {
  readonly call: ModelCall;
  readonly built: BuiltPrompt;
  readonly sampling: SamplingParams;
  readonly start: AnswerStart;
  readonly controller: AbortController;
}

export interface Generated {
  readonly result: GenerateResult;
  readonly output: ReadOutput;
  /** Complete, and not recorded yet. */
  readonly generation: NativeGeneration;
  /** Where the request wants log probabilities and nobody reads along. */
  readonly tokens: RecordedTokens | undefined;
}

/** The engine's part of a call: its tokens, read while they come where somebody reads along. */
export async function generate(context: ServerContext, { call, built, ...rest }: Generating): Promise<Generated> {
  const { sampling, start, controller } = rest;
  const { signal } = controller;
  const { model, engine, metrics } = context;
  const { sink } = call;
  const generation = new native.Generation();
  const parser = model.outputParser({
    tools: call.request.conversation.tools ?? [],
    stop: sampling.stop,
    stopTokenIds: sampling.stopTokenIds,
    get promptEnd() {
      return built.end();
    },
    answerBegun: call.request.conversation.prefill !== undefined,
    textTokens: call.request.logprobs === "text",
  });
  const wantsTokens = call.request.logprobs === "all";
  const reader = new OutputReader({ model, generation, parser, wantsTokens: wantsTokens && sink !== undefined, sink });
  const advance = () => {
    try {
      reader.advance();
    } catch (error) {
      controller.abort(error);
    }
  };
  sink?.start(start, advance);
  const began = performance.now();
  try {
    const result = await engine.generate({
      prompt: built.prompt,
      generation,
      sampling,
      affinityKey: call.session.id,
      currentVersion: () => context.weightVersion.version,
      onTokens: sink && advance,
      tokenBytes: (id) => model.tokenBytes(id),
      signal,
    });
    signal.throwIfAborted();
    const output = reader.finish(result.finish);
    const tokens = wantsTokens && sink === undefined ? recordedTokens(model, generation, 0) : undefined;
    return { result, output, generation, tokens };
  } finally {
    metrics.engineSeconds.observe((performance.now() - began) / 1000);
  }
}
