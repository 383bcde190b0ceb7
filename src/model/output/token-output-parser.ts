import type { Detokenizer, OnToken } from "./detokenizer/detokenizer.js";
import { TokenwiseDetokenizer } from "./detokenizer/tokenwise-detokenizer.js";
import type { Vocabulary } from "./detokenizer/vocabulary.js";
import type { OutputFamilies } from "./family-lookup.js";
import { MessageWriter } from "./message/message-writer.js";
import { createOutputFormat } from "./output-format.js";
import type { OutputEnd, OutputEvent, OutputParser, OutputParserOptions, ParsedOutput } from "./output-parser.js";
import type { Piece } from "./piece.js";
import { OutputCursor, type Step } from "./reader/output-cursor.js";
import { StopStrings } from "./stop-strings.js";
import { ReasoningCount } from "./tokens/reasoning-count.js";
import { TextTokens } from "./tokens/text-tokens.js";

/**
 * Parses an output in steps: the detokenizer turns tokens into pieces of text, stop strings cut off the end, and the
 * format's reader writes events.
 */
export class TokenOutputParser implements OutputParser {
  readonly #vocabulary: Vocabulary;
  readonly #markers: ReadonlySet<string>;
  readonly #markerParts: ReadonlySet<string>;
  readonly #detokenizer: Detokenizer;
  readonly #stopStrings: StopStrings;
  readonly #stopTokenIds: ReadonlySet<number>;
  readonly #reader: OutputCursor;
  readonly #out: MessageWriter;
  readonly #count = new ReasoningCount();
  readonly #reading: Step<void>;
  /** A stop token that came last. It ends the output unless more tokens come. */
  #lastStop: number | undefined;

  constructor(vocabulary: Vocabulary, families: OutputFamilies, options: OutputParserOptions) {
    const format = createOutputFormat(families, options);
    this.#vocabulary = vocabulary;
    this.#markers = new Set(format.markers.filter((marker) => vocabulary.isAdded(marker)));
    const textTokens = options.textTokens === true ? new TextTokens() : undefined;
    this.#markerParts = new Set(format.markerParts?.filter((part) => vocabulary.isAdded(part)));
    const known = this.#markerParts.size > 0 ? new Set([...this.#markers, ...this.#markerParts]) : this.#markers;
    this.#detokenizer = createDetokenizer(vocabulary, known, (at) => {
      this.#count.addToken(at);
      textTokens?.addToken(at);
    });
    this.#stopStrings = new StopStrings(options.stop);
    this.#stopTokenIds = new Set(options.stopTokenIds);
    this.#reader = new OutputCursor(this.#markers);
    this.#out = new MessageWriter(format.markers.length > 0, {
      position: () => this.#reader.position,
      ...(textTokens ? { findTokens: (from, to) => textTokens.take(from, to) } : {}),
    });
    this.#reading = format.read(this.#reader, this.#out, this.#count);
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
    pieces.push(...this.#detokenizer.push(now));
    return this.#read(this.#stopStrings.push(pieces));
  }

  finish(end: OutputEnd): { readonly events: OutputEvent[]; readonly output: ParsedOutput } {
    const pieces = end === "length" || this.#endsWithMarker() ? this.#takeLastStop() : [];
    pieces.push(...this.#detokenizer.finish());
    const rest = this.stopped ? [] : this.#stopStrings.push(pieces);
    this.#reader.end(end === "length" || this.stopped);
    const events = this.#read([...rest, ...this.#stopStrings.finish()], true);
    const { message, toolCalls } = this.#out;
    const reasoningTokens = this.#count.count;
    return { events, output: { message, toolCalls, stopString: this.#stopStrings.found, reasoningTokens } };
  }

  /** Returns true if the stop token at the end is also a marker, such as the end of a call. */
  #endsWithMarker(): boolean {
    if (this.#lastStop === undefined) return false;
    const entry = this.#vocabulary.entry(this.#lastStop);
    return entry.kind === "added" && this.#markers.has(entry.text);
  }

  #takeLastStop(): Piece[] {
    if (this.#lastStop === undefined) return [];
    const pieces = this.#detokenizer.push(Int32Array.of(this.#lastStop));
    this.#lastStop = undefined;
    return pieces;
  }

  #read(pieces: readonly Piece[], isLast = false): OutputEvent[] {
    this.#reader.feed(this.#markerParts.size > 0 ? pieces.map((piece) => this.#asText(piece)) : pieces);
    this.#reading.next();
    this.#count.readTo(this.#reader.position);
    if (isLast) this.#out.flush();
    return this.#out.take();
  }

  #asText(piece: Piece): Piece {
    return this.#markerParts.has(piece.text) ? { kind: "text", text: piece.text } : piece;
  }
}

/**
 * Creates a detokenizer. Its text pieces, without markers, join to the same text as a decode of all ids without special
 * tokens.
 *
 * @param markers spellings of added tokens that become separate pieces
 */
function createDetokenizer(
  vocabulary: Vocabulary,
  markers: ReadonlySet<string>,
  onToken: OnToken = () => {},
): Detokenizer {
  return vocabulary.decoder === undefined
    ? new WholeDetokenizer(vocabulary, markers, onToken)
    : new TokenwiseDetokenizer(vocabulary, markers, onToken);
}

/**
 * A detokenizer for decoders in which the text of a token depends on the tokens after it (WordPiece, CTC, …). No known
 * chat model has one. It decodes the text before a marker when the marker arrives, and the rest at the end. All tokens
 * between two markers count as beginning at the place of the first one.
 */
class WholeDetokenizer implements Detokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #markers: ReadonlySet<string>;
  readonly #onToken: OnToken;
  #ids: number[] = [];
  #length = 0;

  constructor(vocabulary: Vocabulary, markers: ReadonlySet<string>, onToken: OnToken) {
    this.#vocabulary = vocabulary;
    this.#markers = markers;
    this.#onToken = onToken;
  }

  push(ids: Int32Array): Piece[] {
    const pieces: Piece[] = [];
    for (const id of ids) {
      const entry = this.#vocabulary.entry(id);
      if (entry.kind === "added" && this.#markers.has(entry.text)) {
        pieces.push(...this.finish(), { kind: "token", text: entry.text, special: entry.special });
        this.#onToken(this.#length);
        this.#length += entry.text.length;
      } else {
        this.#onToken(this.#length);
        this.#ids.push(id);
      }
    }
    return pieces;
  }

  finish(): Piece[] {
    const text = this.#vocabulary.source.decode(Int32Array.from(this.#ids), { skipSpecialTokens: true });
    this.#ids = [];
    this.#length += text.length;
    return text === "" ? [] : [{ kind: "text", text }];
  }
}
