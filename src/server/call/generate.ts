import type { Tool } from "../../conversation/message.js";
import type {
  GenerateCall,
  GenerateResult,
  IgnorableParam,
  SamplingParams,
  SharedPromptText,
} from "../../engine/engine.js";
import type { Api } from "../../facts/call-facts.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { OutputParserOptions } from "../../model/output/output-parser.js";
import { native } from "../../native/addon.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { AnswerStart } from "../../protocols/generation-answer.js";
import { type RecordedTokens, sliceLength } from "../../protocols/logprobs.js";
import type { Turn } from "../../session/turn/turn.js";
import type { AbortSwitch } from "../../support/async/abort-switch.js";
import type { ServerContext } from "../context.js";
import { AnswerReader, type ReadOutput } from "./answer-reader.js";
import { decodePromptEnd } from "./build-prompt.js";
import type { AnswerSink, ModelCall } from "./model-call.js";
import { readRecordedTokens } from "./token-slices.js";

export interface GenerationJob {
  readonly call: ModelCall;
  readonly turn: Turn;
  readonly promptText: SharedPromptText | undefined;
  readonly sampling: SamplingParams;
  readonly start: AnswerStart;
  /** Receives the output while it is generated. */
  readonly sink: AnswerSink | undefined;
  readonly aborting: AbortSwitch;
}

export interface GenerationOutcome {
  readonly result: GenerateResult;
  readonly output: ReadOutput;
  /** Complete, but not recorded yet. */
  readonly generation: NativeGeneration;
  /** All tokens, if the request wants log probabilities and the answer is not streamed. */
  readonly tokens: RecordedTokens | undefined;
  /** The parameters that the engine followed: without those that it ignored. */
  readonly sampling: SamplingParams;
}

/** The field of a request that holds its seed. */
const SEED_FIELDS: Readonly<Record<Api, string>> = {
  "chat.completions": "seed",
  responses: "seed",
  messages: "seed",
  generate_content: "generationConfig.seed",
};

/**
 * Has the engine generate the answer. If there is a sink, writes the output to it while tokens arrive.
 *
 * @param whenTurn resolves when the engine may be called. The sink is started before, because the start of a stream lists all choices
 */
export async function generate(
  context: ServerContext,
  job: GenerationJob,
  whenTurn?: () => Promise<void>,
): Promise<GenerationOutcome> {
  const { call, turn, sampling, start, sink, aborting } = job;
  const { model, engine, metrics } = context;
  const { vocabularySize } = model;
  const generation = new native.Generation({ vocabularySize, maxTokens: sampling.maxTokens });
  const wantsTokens = call.request.logprobs === "all";
  const reader = new AnswerReader({
    model,
    generation,
    openParser: () => model.outputParser(new ParserOptions(model, job)),
    wantsTokens: wantsTokens && sink !== undefined,
    readers: call.request.choices ?? 1,
    maxTokens: call.request.logprobs === "none" ? Number.POSITIVE_INFINITY : sliceLength(sampling.topLogprobs),
    sink,
  });
  // The engine and the sink call this. They cannot handle an error, so it aborts the call.
  const advance = () => {
    try {
      reader.advance();
    } catch (error) {
      aborting.abort(error);
    }
  };
  let followed = sampling;
  const onIgnored = (param: IgnorableParam) => {
    followed = { ...followed, [param]: undefined };
    const field = param === "seed" ? SEED_FIELDS[call.api] : call.request.sampling.thinkingBudget?.param;
    if (field !== undefined) call.onUnenforced(field);
  };
  sink?.start(start, advance);
  if (whenTurn) await whenTurn();
  const reasoning = sampling.thinkingBudget === undefined ? undefined : await model.reasoningMarkers();
  aborting.throwIfAborted();
  const engineStart = performance.now();
  try {
    const content: GenerateCall = {
      id: start.interactionId,
      prompt: turn.prompt,
      promptText: job.promptText,
      generation,
      sampling,
      traceHeaders: call.traceHeaders,
      affinityKey: call.session.id,
      currentVersion: () => context.weightVersion.version,
      versionLabels: context.versionLabels,
      onTokens: sink && advance,
      tokenBytes: (id) => model.tokenBytes(id),
      reasoning,
      onIgnored,
    };
    const result = await engine.generate(content, aborting);
    if (reader.isBehind) await reader.catchUp();
    aborting.throwIfAborted();
    const output = reader.finish(result.finish);
    const tokens = wantsTokens && sink === undefined ? readRecordedTokens(model, generation, 0) : undefined;
    return { result, output, generation, tokens, sampling: followed };
  } finally {
    metrics.engineSeconds.observe((performance.now() - engineStart) / 1000);
  }
}

/** Options of the parser of a call's output. */
class ParserOptions implements OutputParserOptions {
  readonly tools: readonly Tool[];
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly answerBegun: boolean;
  readonly textTokens: boolean;
  readonly #model: ChatModel;
  readonly #turn: Turn;

  constructor(model: ChatModel, { call, turn, sampling }: GenerationJob) {
    const { conversation, logprobs } = call.request;
    this.tools = [...(conversation.tools ?? []), ...(conversation.loadedTools ?? [])];
    this.stop = sampling.stop;
    this.stopTokenIds = sampling.stopTokenIds;
    this.answerBegun = conversation.prefill !== undefined;
    this.textTokens = logprobs === "text";
    this.#model = model;
    this.#turn = turn;
  }

  /** A getter, because only families that reason need it: decoding the end of the prompt takes a noticeable part of a short call. */
  get promptEnd(): string {
    return decodePromptEnd(this.#model, this.#turn);
  }
}
