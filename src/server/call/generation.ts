import type { Tool } from "../../conversation/message.js";
import type {
  CallImage,
  GenerateCall,
  GenerateResult,
  IgnorableParam,
  ReasoningMarkers,
  SamplingParams,
  SharedPromptText,
} from "../../engine/engine.js";
import type { VersionLabels } from "../../engine/version-labels.js";
import type { Api } from "../../facts/call-facts.js";
import type { WithoutChannels } from "../../facts/channels.js";
import type { OutputParserOptions } from "../../model/output/output-parser.js";
import { native } from "../../native/addon.js";
import type { NativeGeneration, NativePrompt } from "../../native/contract.js";
import type { AnswerStart } from "../../protocols/generation-answer.js";
import { type RecordedTokens, sliceLength } from "../../protocols/logprobs.js";
import type { TokenJson } from "../../protocols/token-json.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { AbortSwitch } from "../../support/async/abort-switch.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { onAbort } from "../../support/async/on-abort.js";
import type { Trace, TraceSteps } from "../../telemetry/trace.js";
import { AnswerReader, type AnswerSink, type ReadOutput } from "./answer-reader.js";
import type { BegunChoice, Call } from "./call.js";
import { loadImages } from "./images.js";
import { decodePromptEnd } from "./prompt.js";
import { type CallSampling, forChoice } from "./sampling.js";
import { readRecordedTokens, tokenJsonFor } from "./token-slices.js";

/** A choice whose generation is complete, but not recorded yet. */
export interface GeneratedChoice {
  readonly choice: Choice;
  readonly result: GenerateResult;
  readonly output: ReadOutput;
  /** All tokens, if the request wants log probabilities and the answer is not streamed. */
  readonly tokens: RecordedTokens | undefined;
}

/** The field of a request that holds its seed. */
const SEED_FIELDS: Readonly<Record<Api, string>> = {
  "chat.completions": "seed",
  responses: "seed",
  messages: "seed",
  generate_content: "generationConfig.seed",
  completions: "seed",
  generate: "sampling_params.seed",
};

/** One of the answers that a call asks for. The engine gets this object, and each becomes an interaction. */
export class Choice implements GenerateCall {
  readonly call: Call;
  readonly begun: BegunChoice;
  readonly id: string;
  readonly prompt: NativePrompt;
  readonly images: readonly CallImage[] | undefined;
  readonly promptText: SharedPromptText | undefined;
  readonly generation: NativeGeneration;
  readonly sampling: SamplingParams;
  readonly reasoning: ReasoningMarkers | undefined;
  /** Undefined if the client sent none and the call is not sampled: such a header would cost 3% of the processor time of a short call. */
  traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly affinityKey: string;
  readonly withoutChannels: WithoutChannels;
  readonly versionLabels: VersionLabels;
  readonly onTokens: (() => void) | undefined;
  readonly currentVersion: () => number;
  readonly tokenBytes: (id: number) => Uint8Array;
  readonly onIgnored: (param: IgnorableParam) => void;
  /** The part of the answer that is known before its first token. */
  readonly start: AnswerStart;
  readonly #sink: AnswerSink | undefined;
  readonly #tokenJson: TokenJson;
  readonly #reader: AnswerReader;
  #followed: SamplingParams;
  /** The steps of the generation; undefined if the call is not sampled. */
  #steps: TraceSteps | undefined;
  /** Ends the generation early. */
  #abort: AbortSwitch;

  constructor(call: Call, begun: BegunChoice, { params, reasoning }: CallSampling) {
    const { services, request, turn, startedAt } = call;
    const { model, settings, weightVersion } = services;
    const { vocabularySize } = model;
    const topWidth = request.sampling.topLogprobs;
    this.call = call;
    this.begun = begun;
    this.id = begun.id;
    this.prompt = turn.prompt;
    this.images = loadImages(call);
    this.promptText = call.promptText;
    this.sampling = forChoice(params, begun.index);
    this.generation = new native.Generation({ vocabularySize, maxTokens: this.sampling.maxTokens });
    this.reasoning = reasoning;
    this.traceHeaders = call.traceHeaders;
    this.affinityKey = call.session.id;
    this.withoutChannels = call.session.withoutChannels;
    this.versionLabels = services.versionLabels;
    this.start = {
      interactionId: begun.id,
      model: settings.modelName,
      createdAt: startedAt,
      promptTokens: turn.prompt.length,
      promptIds: request.tokenIds && begun.index === 0 ? turn.prompt.tokens() : undefined,
    };
    this.#tokenJson = tokenJsonFor(model, request.tokensAsIds);
    this.#sink = call.stream?.choice(begun.index);
    this.#followed = this.sampling;
    this.#abort = call.abort;
    this.#reader = new AnswerReader({
      tokenJson: this.#tokenJson,
      generation: this.generation,
      openParser: () => model.outputParser(new ParserOptions(this)),
      wantsTokens: (request.logprobs === "all" || request.tokenIds === "streamed") && this.#sink !== undefined,
      readers: request.choices ?? 1,
      topWidth,
      maxTokens: request.logprobs === "none" ? Number.POSITIVE_INFINITY : sliceLength(topWidth),
      sink: this.#sink,
    });
    this.onTokens = this.#sink && (() => this.#advance());
    this.currentVersion = () => weightVersion.version;
    this.tokenBytes = (id) => model.tokenBytes(id);
    this.onIgnored = (param) => this.#noteIgnored(param);
  }

  /** The parameters that the engine followed: without those that it ignored. */
  get followed(): SamplingParams {
    return this.#followed;
  }

  /**
   * Has the engine generate the answer. If the answer is streamed, writes the output while tokens arrive.
   *
   * @param abort ends the generation early
   * @param whenTurn resolves when the engine may be called. The sink is started before, because the start of a stream lists all choices
   */
  async generate(abort: AbortSwitch, whenTurn?: () => Promise<void>): Promise<GeneratedChoice> {
    const { services, request } = this.call;
    const { engine, metrics } = services;
    const { generation } = this;
    this.#abort = abort;
    this.#sink?.start(this.start, () => this.#advance());
    if (whenTurn) await whenTurn();
    abort.throwIfAborted();
    if (this.call.trace) this.#startSteps(this.call.trace);
    const engineStart = performance.now();
    try {
      const result = await engine.generate(this, abort);
      this.#steps?.enter("parse");
      if (this.#reader.isBehind) await this.#reader.catchUp();
      abort.throwIfAborted();
      const output = this.#reader.finish(result.finish);
      const wantsTokens = request.logprobs === "all" && this.#sink === undefined;
      const slice = { from: 0, width: request.sampling.topLogprobs };
      const tokens = wantsTokens ? readRecordedTokens(this.#tokenJson, generation, slice) : undefined;
      this.#steps?.leave();
      return { choice: this, result, output, tokens };
    } finally {
      metrics.engineSeconds.observe((performance.now() - engineStart) / 1000);
    }
  }

  /** The engine calls this. */
  onPlaced(): void {
    if (!this.#steps) return;
    this.#steps.enter("engine");
    this.traceHeaders = this.#steps.headers;
  }

  #startSteps(trace: Trace): void {
    this.#steps = trace.steps(this.call.choices.length > 1 ? { choice: this.begun.index } : {});
    this.#steps.enter("queue");
  }

  /** The engine and the sink call this. They cannot handle an error, so it aborts the generation. */
  #advance(): void {
    try {
      this.#reader.advance();
    } catch (error) {
      this.#abort.abort(error);
    }
  }

  #noteIgnored(param: IgnorableParam): void {
    const { api, request } = this.call;
    this.#followed = { ...this.#followed, [param]: undefined };
    const field = param === "seed" ? SEED_FIELDS[api] : request.sampling.thinkingBudget?.param;
    if (field !== undefined) this.call.noteUnenforced(field);
  }
}

/**
 * Has the engine generate all choices of a call at the same time. They go to the same server, which keeps their prompt in its cache.
 *
 * If one of them fails, the others are aborted, and the call fails with its error.
 */
export async function generateChoices(call: Call, choices: readonly Choice[]): Promise<readonly GeneratedChoice[]> {
  const [choice] = choices;
  if (choice && choices.length === 1) return [await choice.generate(call.abort)];
  return generateTogether(choices, call.abort);
}

/**
 * Each choice after the first sends its request in a separate iteration of the event loop, because a request can contain a whole
 * context and a long schema.
 */
async function generateTogether(choices: readonly Choice[], call: AbortSource): Promise<GeneratedChoice[]> {
  // A failed choice aborts the others, but not the call: it counts as failed.
  const all = new AbortSwitch();
  using _linked = onAbort(call, () => all.abort(call.reason));
  const running = choices.map(async (choice) => {
    try {
      return await choice.generate(all, choice.begun.index === 0 ? undefined : () => eventLoop.yield());
    } catch (error) {
      all.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  all.throwIfAborted();
  return Promise.all(running);
}

/** Options of the parser of a choice's output. */
class ParserOptions implements OutputParserOptions {
  readonly tools: readonly Tool[];
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly answerBegun: boolean;
  readonly textTokens: boolean;
  readonly isPlain: boolean;
  readonly #call: Call;

  constructor({ call, sampling }: Choice) {
    const { conversation, logprobs, promptIds } = call.request;
    this.tools = [...(conversation.tools ?? []), ...(conversation.loadedTools ?? [])];
    this.stop = sampling.stop;
    this.stopTokenIds = sampling.stopTokenIds;
    this.answerBegun = conversation.prefill !== undefined;
    this.textTokens = logprobs === "text";
    this.isPlain = promptIds !== undefined;
    this.#call = call;
  }

  /** A getter, because only families that reason need it: decoding the end of the prompt takes a noticeable part of a short call. */
  get promptEnd(): string {
    const { services, turn } = this.#call;
    return decodePromptEnd(services.model, turn);
  }
}
