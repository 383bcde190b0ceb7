import type { Finish } from "../../engine/engine.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { OutputEvent, OutputParser, ParsedOutput } from "../../model/output/output-parser.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import { toLogprobs } from "../../protocols/logprobs.js";
import { type AnswerEvent, addToParts, type OutputPart } from "../../protocols/output-parts.js";

/** Who is told an output while it is generated. */
export interface OutputSink {
  /** False: what is written now would pile up. It says so when that is over. */
  readonly takesMore: boolean;
  write(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void;
}

export interface ReadOutput extends ParsedOutput {
  readonly parts: readonly OutputPart[];
  /** What was not told yet. */
  readonly rest: readonly AnswerEvent[];
  readonly restTokens: RecordedTokens | undefined;
}

export interface OutputReaderOptions {
  readonly model: ChatModel;
  readonly generation: NativeGeneration;
  readonly parser: OutputParser;
  /** Whether the sink is told the recorded tokens too. */
  readonly wantsTokens: boolean;
  readonly sink?: OutputSink | undefined;
}

/**
 * Reads a generation while it grows. Tokens that the sink has no room for stay where they are, in native memory, as
 * numbers; so a client that reads slowly costs no more than one that waits for its whole answer.
 */
export class OutputReader {
  readonly #options: OutputReaderOptions;
  readonly #parts: OutputPart[] = [];
  #read = 0;
  #finished = false;

  constructor(options: OutputReaderOptions) {
    this.#options = options;
  }

  /** Tells the sink what has come since, if it takes more. */
  advance(): void {
    const { sink, generation } = this.#options;
    if (this.#finished || !sink?.takesMore || generation.length === this.#read) return;
    const tokens = this.#tokensSince();
    const events = this.#next();
    if (events.length > 0 || tokens) sink.write(events, tokens);
  }

  /** Reads to the end. Afterwards the generation is not looked at any more. */
  finish(finish: Finish): ReadOutput {
    this.#finished = true;
    const restTokens = this.#tokensSince();
    const rest = this.#next();
    const { events, output } = this.#options.parser.finish(finish.reason);
    rest.push(...this.#answered(events));
    return { ...output, parts: this.#parts, rest, restTokens };
  }

  #next(): AnswerEvent[] {
    const ids = this.#options.generation.ids(this.#read);
    this.#read += ids.length;
    return this.#answered(this.#options.parser.push(ids));
  }

  #answered(told: readonly OutputEvent[]): AnswerEvent[] {
    const events = told.map((event) => this.#withLogprobs(event));
    for (const event of events) addToParts(this.#parts, event);
    return events;
  }

  /** The tokens of a text lie in the generation still, however late it is told. */
  #withLogprobs(event: OutputEvent): AnswerEvent {
    if (event.type !== "text" || event.tokens === undefined) return event;
    const { model, generation } = this.#options;
    const { from, to } = event.tokens;
    return { type: "text", text: event.text, logprobs: toLogprobs(recordedTokens(model, generation, from, to)) };
  }

  #tokensSince(): RecordedTokens | undefined {
    const { wantsTokens, model, generation } = this.#options;
    return wantsTokens ? recordedTokens(model, generation, this.#read) : undefined;
  }
}

/** A generation's tokens from one of them on, up to another. */
export function recordedTokens(
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
