import { createDetokenizer, type Detokenizer } from "./detokenizer/detokenizer.js";
import type { Vocabulary } from "./detokenizer/vocabulary.js";
import type { OutputEnd, OutputEvent, OutputParser, OutputParserOptions, ParsedOutput } from "./output-parser.js";
import { type Piece, shownText } from "./piece.js";
import { StopStrings } from "./stop-strings.js";

/** From tokens over pieces of text, of which stop strings cut the end off, to what the output says. */
export class TokenOutputParser implements OutputParser {
  readonly #detokenizer: Detokenizer;
  readonly #stopStrings: StopStrings;
  readonly #stopTokenIds: ReadonlySet<number>;
  /** A token that ends the output, unless more tokens come. */
  #lastStop: number | undefined;
  #content = "";

  constructor(vocabulary: Vocabulary, options: OutputParserOptions) {
    this.#detokenizer = createDetokenizer(vocabulary, new Set());
    this.#stopStrings = new StopStrings(options.stop);
    this.#stopTokenIds = new Set(options.stopTokenIds);
  }

  get stopped(): boolean {
    return this.#stopStrings.found !== undefined;
  }

  push(ids: Int32Array): OutputEvent[] {
    const last = ids.at(-1);
    if (last === undefined || this.stopped) return [];
    const pieces = this.#takeLastStop();
    if (this.#stopTokenIds.has(last)) this.#lastStop = last;
    const now = this.#lastStop === undefined ? ids : ids.subarray(0, -1);
    return this.#read(this.#stopStrings.push([...pieces, ...this.#detokenizer.push(now)]));
  }

  finish(end: OutputEnd): { readonly events: OutputEvent[]; readonly output: ParsedOutput } {
    const pieces = end === "length" ? this.#takeLastStop() : [];
    const rest = this.#stopStrings.push([...pieces, ...this.#detokenizer.finish()]);
    const events = this.#read([...rest, ...this.#stopStrings.finish()]);
    const message = { role: "assistant", content: this.#content } as const;
    return { events, output: { message, toolCalls: "none", stopString: this.#stopStrings.found } };
  }

  #takeLastStop(): Piece[] {
    if (this.#lastStop === undefined) return [];
    const pieces = this.#detokenizer.push(Int32Array.of(this.#lastStop));
    this.#lastStop = undefined;
    return pieces;
  }

  #read(pieces: readonly Piece[]): OutputEvent[] {
    const text = pieces.map(shownText).join("");
    this.#content += text;
    return text === "" ? [] : [{ type: "text", text }];
  }
}
