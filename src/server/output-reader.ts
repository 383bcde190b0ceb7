import type { ChatModel } from "../conversation/model.js";
import type { OutputEvent, OutputParser, ParsedOutput } from "../conversation/output/output-parser.js";
import type { Finish } from "../engine/engine.js";
import type { NativeGeneration } from "../native/contract.js";
import type { RecordedTokens } from "../protocols/generation.js";
import { addToParts, type OutputPart } from "../protocols/output-parts.js";

/** Who is told an output while it is generated. */
export interface OutputSink {
  /** False: what is written now would pile up. It says so when that is over. */
  readonly takesMore: boolean;
  write(events: readonly OutputEvent[], tokens: RecordedTokens | undefined): void;
}

export interface ReadOutput extends ParsedOutput {
  readonly parts: readonly OutputPart[];
  /** What was not told yet. */
  readonly rest: readonly OutputEvent[];
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
    for (const event of events) addToParts(this.#parts, event);
    return { ...output, parts: this.#parts, rest: [...rest, ...events], restTokens };
  }

  #next(): OutputEvent[] {
    const ids = this.#options.generation.ids(this.#read);
    this.#read += ids.length;
    const events = this.#options.parser.push(ids);
    for (const event of events) addToParts(this.#parts, event);
    return events;
  }

  #tokensSince(): RecordedTokens | undefined {
    const { wantsTokens, model, generation } = this.#options;
    return wantsTokens ? recordedTokens(model, generation, this.#read) : undefined;
  }
}

/** A generation's tokens from one of them on. */
export function recordedTokens(model: ChatModel, generation: NativeGeneration, from: number): RecordedTokens {
  const top = generation.top();
  const start = from * (top?.width ?? 0);
  return {
    ids: generation.ids(from),
    logprobs: generation.logprobs(from),
    top: top && { ...top, ids: top.ids.subarray(start), logprobs: top.logprobs.subarray(start) },
    textOf: (id) => model.decode(Int32Array.of(id), { skipSpecialTokens: false }),
  };
}
