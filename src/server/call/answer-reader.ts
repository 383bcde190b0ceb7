import type { Finish } from "../../engine/engine.js";
import type { OutputEvent, OutputParser, ParsedOutput } from "../../model/output/output-parser.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { AnswerStart, GenerationAnswer } from "../../protocols/generation-answer.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import { type AnswerEvent, addToParts, type OutputPart } from "../../protocols/output-parts.js";
import type { TokenJson } from "../../protocols/token-json.js";
import type { RecordedInteraction } from "../../session/recorded-interaction.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { TokenSlices } from "./token-slices.js";

/** Receives an output while it is generated. */
export interface OutputSink {
  /** False while the client reads too slowly: further writes would accumulate in memory. */
  readonly hasRoom: boolean;
  write(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void;
}

/** Receives the output of one choice of a call. */
export interface AnswerSink extends OutputSink {
  /** Called when the prompt is built, for all choices before the first of them has output. The sink calls `advance` whenever it has room again. */
  start(start: AnswerStart, advance: () => void): void;
}

export interface ReadOutput extends ParsedOutput {
  readonly parts: readonly OutputPart[];
  /** Events that were not written to the sink. */
  readonly unsentEvents: readonly AnswerEvent[];
  readonly unsentTokens: RecordedTokens | undefined;
}

/** One answer of a recorded call. */
export interface RecordedChoice {
  readonly answer: GenerationAnswer;
  readonly interaction: RecordedInteraction;
  /** The end of the output, which was not written to the stream. */
  readonly unsent: Pick<ReadOutput, "unsentEvents" | "unsentTokens">;
}

export interface AnswerReaderOptions {
  /** Writes the log probabilities of tokens. */
  readonly tokenJson: TokenJson;
  readonly generation: NativeGeneration;
  /** Creates the parser. Called with the first tokens, so that a call that waits for the engine takes less memory. */
  readonly openParser: () => OutputParser;
  /** True: the recorded tokens are written to the sink, too. */
  readonly wantsTokens: boolean;
  /** Alternatives per token that are written. The generation may have more, which are only recorded. */
  readonly topWidth: number;
  /** Maximum number of tokens whose log probabilities are written to the sink at once. */
  readonly maxTokens: number;
  /** Number of readers that may have new tokens in the same iteration of the event loop: the choices of a call. Default: 1. */
  readonly readers?: number;
  readonly sink?: OutputSink | undefined;
}

/** Number of tokens that take about two milliseconds to decode and parse. */
const MAX_PARSED_AT_ONCE = 4096;

/**
 * Reads a generation while it grows. Tokens for which the sink has no room stay in native memory as numbers. A client that
 * reads slowly therefore costs little more memory than one that waits for its whole answer.
 */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #slices: TokenSlices;
  readonly #parts: OutputPart[] = [];
  #openedParser: OutputParser | undefined;
  /** Maximum number of tokens that are read in one iteration of the event loop. */
  readonly #maxSlice: number;
  /** The same in an iteration in which the readers of other choices may read too. */
  readonly #sharedSlice: number;
  /** Number of tokens that were read. */
  #position = 0;
  #finished = false;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
    this.#slices = new TokenSlices(options.tokenJson, options.generation, options.topWidth);
    this.#maxSlice = Math.min(MAX_PARSED_AT_ONCE, options.sink ? options.maxTokens : MAX_PARSED_AT_ONCE);
    this.#sharedSlice = Math.max(1, Math.floor(this.#maxSlice / (options.readers ?? 1)));
  }

  /** Writes new tokens to the sink, if it has room. */
  advance(): void {
    if (this.#options.sink?.hasRoom) this.#readSlice(this.#sharedSlice);
  }

  /** True if there are more new tokens than one slice reads, so that {@link catchUp} has work to do. */
  get isBehind(): boolean {
    return this.#options.generation.length - this.#position > this.#sharedSlice;
  }

  /** Reads all new tokens except some of the last, in slices: the event loop runs between them. Writes them to the sink. */
  async catchUp(): Promise<void> {
    const isShared = this.#sharedSlice < this.#maxSlice;
    while (this.isBehind) {
      // The other choices may have been completed in this iteration, too.
      if (isShared) await eventLoop.yield();
      this.#readSlice(this.#maxSlice);
      if (!isShared) await eventLoop.yield();
    }
  }

  #readSlice(limit: number): void {
    const { sink, generation } = this.#options;
    if (this.#finished || generation.length === this.#position) return;
    const tokens = this.#newTokens(limit);
    const events = this.#readEvents(limit);
    if (events.length > 0 || tokens) sink?.write(events, tokens);
  }

  /** Reads to the end. The reader does not use the generation afterwards. */
  finish(finish: Finish): ReadOutput {
    this.#finished = true;
    const unsentTokens = this.#newTokens();
    const unsentEvents = this.#readEvents();
    const { events, output } = this.#parser.finish(finish.reason);
    unsentEvents.push(...this.#addParts(events));
    const { message, toolCalls, stopString, reasoningTokens } = output;
    return { parts: this.#parts, unsentEvents, unsentTokens, message, toolCalls, stopString, reasoningTokens };
  }

  /** @param limit maximum number of tokens to read */
  #readEvents(limit = Number.POSITIVE_INFINITY): AnswerEvent[] {
    const ids = this.#options.generation.ids(this.#position).subarray(0, limit);
    this.#position += ids.length;
    return this.#addParts(this.#parser.push(ids));
  }

  get #parser(): OutputParser {
    this.#openedParser ??= this.#options.openParser();
    return this.#openedParser;
  }

  /** Adds the events to the parts of the answer, and returns them with log probabilities if the request wants them. */
  #addParts(outputEvents: readonly OutputEvent[]): AnswerEvent[] {
    const events = outputEvents.map((event) => this.#withLogprobs(event));
    for (const event of events) addToParts(this.#parts, event);
    return events;
  }

  /** The parser may return a text late, so its tokens are read from the generation, which keeps all of them. */
  #withLogprobs(event: OutputEvent): AnswerEvent {
    if (event.type !== "text" || event.tokens === undefined) return event;
    const { from, to } = event.tokens;
    return { type: "text", text: event.text, logprobs: [this.#slices.read(from, to)] };
  }

  /** Returns the tokens that {@link #readEvents} reads next; undefined if the request does not want them. */
  #newTokens(limit = Number.POSITIVE_INFINITY): RecordedTokens | undefined {
    const { wantsTokens, generation } = this.#options;
    const end = Math.min(generation.length, this.#position + limit);
    return wantsTokens ? this.#slices.read(this.#position, end) : undefined;
  }
}
