/** Length of one piece, in characters. A piece takes about a quarter of a millisecond to write. */
export const PIECE_LENGTH = 64 * 1024;

/** A part of a text that is written in pieces. */
interface Pieces {
  /** Memory that it takes, in bytes. */
  readonly memory: number;
  pieces(): Iterable<string>;
}

/**
 * A text that is written while it is sent. As one string, a long answer with log probabilities would stall the event loop for
 * seconds or exceed V8's limit of 512 MB.
 */
export class LongJson {
  readonly #segments: readonly (string | Pieces)[];

  constructor(segments: readonly (string | Pieces)[]) {
    this.#segments = segments;
  }

  /** Memory that the text uses until it is sent, in bytes. */
  get memory(): number {
    return this.#segments.reduce((sum, each) => sum + (typeof each === "string" ? each.length : each.memory), 0);
  }

  /** Returns the text in pieces of about {@link PIECE_LENGTH} characters. Text outside of inserted values is not cut. */
  *pieces(): Generator<string, void, void> {
    let piece = "";
    for (const segment of this.#segments) {
      for (const text of typeof segment === "string" ? [segment] : segment.pieces()) {
        if (piece !== "" && piece.length + text.length > PIECE_LENGTH) {
          yield piece;
          piece = "";
        }
        piece += text;
      }
    }
    yield piece;
  }

  /** Returns the text between two others. */
  between(before: string, after: string): LongJson {
    return new LongJson([before, ...this.#segments, after]);
  }

  /** Returns the text with each of its pieces changed. */
  map(change: (piece: string) => string): LongJson {
    const { memory } = this;
    const pieces = () => changeEach(this.pieces(), change);
    return new LongJson([{ memory, pieces }]);
  }

  static concat(texts: readonly JsonText[]): LongJson {
    return new LongJson(texts.flatMap((text) => (typeof text === "string" ? [text] : text.#segments)));
  }
}

function* changeEach(pieces: Iterable<string>, change: (piece: string) => string): Generator<string, void, void> {
  for (const piece of pieces) yield change(piece);
}

/** JSON, or events that contain JSON. */
export type JsonText = string | LongJson;

/** Returns a few texts as one. */
export function concat(...texts: readonly JsonText[]): JsonText {
  return joinTexts(texts);
}

/** Returns any number of texts as one. */
export function joinTexts(texts: readonly JsonText[]): JsonText {
  return isShort(texts) ? texts.join("") : LongJson.concat(texts);
}

const isShort = (texts: readonly JsonText[]): texts is readonly string[] =>
  texts.every((text) => typeof text === "string");
