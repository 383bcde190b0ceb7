import type { Finish } from "../../engine/engine.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { OutputEvent, OutputParser, ParsedOutput } from "../../model/output/output-parser.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import { toLogprobs } from "../../protocols/logprobs.js";
import { type AnswerEvent, addToParts, type OutputPart } from "../../protocols/output-parts.js";

/** Receives an output while it is generated. */
export interface OutputSink {
  /** False while the client reads too slowly: further writes would pile up in memory. */
  readonly hasRoom: boolean;
  write(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void;
}

export interface ReadOutput extends ParsedOutput {
  readonly parts: readonly OutputPart[];
  /** Events that were not written to the sink. */
  readonly unsentEvents: readonly AnswerEvent[];
  readonly unsentTokens: RecordedTokens | undefined;
}

export interface OutputReaderOptions {
  readonly model: ChatModel;
  readonly generation: NativeGeneration;
  readonly parser: OutputParser;
  /** Write the recorded tokens to the sink, too. */
  readonly wantsTokens: boolean;
  readonly sink?: OutputSink | undefined;
}

/**
 * Reads a generation while it grows. Tokens for which the sink has no room stay in native memory as numbers. A client that
 * reads slowly therefore costs no more memory than one that waits for its whole answer.
 */
export class OutputReader {
  readonly #options: OutputReaderOptions;
  readonly #parts: OutputPart[] = [];
  /** Number of tokens that were read. */
  #position = 0;
  #finished = false;

  constructor(options: OutputReaderOptions) {
    this.#options = options;
  }

  /** Writes new tokens to the sink, if it has room. */
  advance(): void {
    const { sink, generation } = this.#options;
    if (this.#finished || !sink?.hasRoom || generation.length === this.#position) return;
    const tokens = this.#newTokens();
    const events = this.#readEvents();
    if (events.length > 0 || tokens) sink.write(events, tokens);
  }

  /** Reads to the end. The reader does not use the generation afterwards. */
  finish(finish: Finish): ReadOutput {
    this.#finished = true;
    const unsentTokens = this.#newTokens();
    const unsentEvents = this.#readEvents();
    const { events, output } = this.#options.parser.finish(finish.reason);
    unsentEvents.push(...this.#addParts(events));
    return { ...output, parts: this.#parts, unsentEvents, unsentTokens };
  }

  #readEvents(): AnswerEvent[] {
    const ids = this.#options.generation.ids(this.#position);
    this.#position += ids.length;
    return this.#addParts(this.#options.parser.push(ids));
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
    const { model, generation } = this.#options;
    const { from, to } = event.tokens;
    return { type: "text", text: event.text, logprobs: toLogprobs(readRecordedTokens(model, generation, from, to)) };
  }

  /** Returns the tokens that {@link #readEvents} reads next; undefined if the request does not want them. */
  #newTokens(): RecordedTokens | undefined {
    const { wantsTokens, model, generation } = this.#options;
    return wantsTokens ? readRecordedTokens(model, generation, this.#position) : undefined;
  }
}

/** Returns the tokens `from` (inclusive) `to` (exclusive) of a generation, as views of its memory. */
export function readRecordedTokens(
  model: ChatModel,
  generation: NativeGeneration,
  from: number,
  to = generation.length,
): RecordedTokens {
  const count = to - from;
  const top = generation.top(from);
  const alternatives = count * (top?.width ?? 0);
  return {
    ids: generation.ids(from).subarray(0, count),
    logprobs: generation.logprobs(from).subarray(0, count),
    top: top && { ...top, ids: top.ids.subarray(0, alternatives), logprobs: top.logprobs.subarray(0, alternatives) },
    tokenText: (id) => model.decode(Int32Array.of(id), { skipSpecialTokens: false }),
    tokenBytes: (id) => model.tokenBytes(id),
  };
}
