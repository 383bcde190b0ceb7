import { Fifo } from "../fifo.js";
import type { Piece } from "../piece.js";
import { Markers } from "./markers.js";

const SPACE = /^[ \t\r\n]*/;

/** Text is searched for markers so much at a time: a marker that never comes must not be looked for to the end. */
const WINDOW = 4096;

/** A reader of some part of an output: it yields where more of the output must come first. */
export type Step<T> = Generator<undefined, T, undefined>;

/**
 * What of an output is not read yet. Parsers are generators over it: they read on as pieces are fed, and hold no more
 * than what they cannot tell apart yet.
 */
export class OutputReader {
  readonly #tokens: ReadonlySet<string>;
  readonly #queue = new Fifo<Piece>();
  #text = "";
  #ended = false;
  #record: string | undefined;
  #position = 0;

  /** @param tokens spellings of the tokens that are markers of the format */
  constructor(tokens: ReadonlySet<string>) {
    this.#tokens = tokens;
  }

  feed(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.kind === "token" && !this.#tokens.has(piece.text)) {
        if (!piece.special) this.#feedText(piece.text);
      } else if (piece.kind === "token") this.#queue.push(piece);
      else this.#feedText(piece.text);
    }
  }

  end(): void {
    this.#ended = true;
  }

  markers(spellings: readonly string[]): Markers {
    return new Markers(spellings, (spelling) => this.#tokens.has(spelling));
  }

  /** How much of the output is read, in characters. */
  get position(): number {
    return this.#position;
  }

  /** The text that is there to be read, up to the next token. */
  get text(): string {
    return this.#text;
  }

  /** Whether all text up to the next token, or to the end, is there. */
  get textIsWhole(): boolean {
    return this.#ended || this.#queue.length > 0;
  }

  /** Waits for text or a token; false at the end of the output. */
  *ready(): Step<boolean> {
    while (this.text === "" && this.#queue.length === 0) {
      if (this.#ended) return false;
      yield;
    }
    return true;
  }

  /** The next character of text; undefined where a token comes next, or nothing. */
  *peek(): Step<string | undefined> {
    yield* this.ready();
    return this.text === "" ? undefined : this.text.charAt(0);
  }

  take(length: number): string {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#position += taken.length;
    if (this.#record !== undefined) this.#record += taken;
    return taken;
  }

  /** Takes a marker that is next. */
  skip(marker: string): void {
    if (this.text !== "") {
      this.take(marker.length);
      return;
    }
    const text = this.#queue.shift()?.text ?? "";
    this.#position += text.length;
    if (this.#record !== undefined) this.#record += text;
    this.#refill();
  }

  *skipSpace(): Step<void> {
    yield* this.takeWhile(SPACE, Number.POSITIVE_INFINITY);
  }

  /** Takes text as long as it matches, and ends soon behind `limit` characters. */
  *takeWhile(pattern: RegExp, limit: number): Step<string> {
    let taken = "";
    while (taken.length < limit && (yield* this.ready()) && this.text !== "") {
      const length = pattern.exec(this.text)?.[0].length ?? 0;
      const hasMore = length < this.text.length;
      taken += this.take(length);
      if (hasMore) break;
    }
    return taken;
  }

  /** Whether this marker comes next. It is not taken. */
  *at(marker: string): Step<boolean> {
    for (;;) {
      if (!(yield* this.ready())) return false;
      if (this.text === "") return this.#queue.next?.text === marker;
      if (this.#tokens.has(marker)) return false;
      if (this.text.startsWith(marker)) return true;
      if (this.textIsWhole || !marker.startsWith(this.text)) return false;
      yield;
    }
  }

  /** Takes this marker if it comes next. */
  *accept(marker: string): Step<boolean> {
    const isNext = yield* this.at(marker);
    if (isNext) this.skip(marker);
    return isNext;
  }

  /** Reads text up to one of the markers, which is not taken; undefined at the end of the output. */
  *until(markers: Markers, onText: (text: string) => void): Step<string | undefined> {
    while (yield* this.ready()) {
      if (this.text === "") {
        const token = this.#queue.next;
        if (token === undefined) continue;
        if (markers.hasToken(token.text)) return token.text;
        this.skip(token.text);
        onText(token.text);
        continue;
      }
      const window = this.text.slice(0, WINDOW);
      const isAll = window.length === this.text.length;
      const { at, marker } = markers.search(window, isAll && this.textIsWhole);
      if (at > 0) onText(this.take(at));
      if (marker !== undefined) return marker;
      if (isAll && this.text !== "") yield;
    }
    return undefined;
  }

  /** Keeps what is read from here on, to give it back as it was written. */
  record(): void {
    this.#record = "";
  }

  /** What was read since {@link record}; ends the recording. */
  recorded(): string {
    const recorded = this.#record ?? "";
    this.#record = undefined;
    return recorded;
  }

  #feedText(text: string): void {
    if (this.#queue.length > 0) this.#queue.push({ kind: "text", text });
    else this.#text += text;
  }

  /** Text that was fed behind a token is read once the token is taken. */
  #refill(): void {
    while (this.#queue.next?.kind === "text") this.#text += this.#queue.shift()?.text ?? "";
  }
}
