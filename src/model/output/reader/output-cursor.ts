import { Fifo } from "../fifo.js";
import type { Piece } from "../piece.js";
import { Markers } from "./markers.js";

const SPACE = /^[ \t\r\n]*/;

/**
 * Number of characters that are searched for markers at a time. Without it, each of several reads would search a long text
 * to its end for a missing marker.
 */
const WINDOW = 4096;

/** A generator that reads a part of an output. It yields when it needs more of the output. */
export type Step<T> = Generator<undefined, T, undefined>;

/** A marker that is left out where the output ends with it. */
interface Closing {
  readonly marker: string;
  readonly onClose: () => void;
}

/**
 * The unread part of an output. Parsers are generators that read from it: they continue when pieces are fed, and hold back
 * only text that is still ambiguous.
 */
export class OutputCursor {
  readonly #tokens: ReadonlySet<string>;
  readonly #queue = new Fifo<Piece>();
  #text = "";
  #ended = false;
  #isCut = false;
  #isWaiting = false;
  #record: string | undefined;
  #position = 0;
  #closing: Closing | undefined;

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

  /** @param isCut the output was cut off, so its last part may be incomplete */
  end(isCut: boolean): void {
    this.#ended = true;
    this.#isCut = isCut;
  }

  /** Leaves out this marker where the output ends with it. Elsewhere it is text. */
  closeWith(marker: string, onClose: () => void): void {
    this.#closing = { marker, onClose };
  }

  markers(spellings: readonly string[]): Markers {
    const all = this.#closing === undefined ? spellings : [...spellings, this.#closing.marker];
    return new Markers(all, (spelling) => this.#tokens.has(spelling));
  }

  /** Number of characters of the output that are read. */
  get position(): number {
    return this.#position;
  }

  /** The text before the next token that has arrived. */
  get text(): string {
    return this.#text;
  }

  /** All text before the next token, or before the end, has arrived. */
  get textIsWhole(): boolean {
    return this.#ended || this.#queue.length > 0;
  }

  /** Waits for text or a token. Returns false at the end of the output. */
  *ready(): Step<boolean> {
    while (this.text === "" && this.#queue.length === 0) {
      if (this.#ended) return false;
      yield;
    }
    return true;
  }

  /** The output has ended because it was cut off. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Waits for text or a token. Returns true at the end of an output that was not cut off. */
  *atWholeEnd(): Step<boolean> {
    return !(yield* this.ready()) && !this.#isCut;
  }

  /** Returns the next character of text; undefined if a token or the end comes next. */
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

  /** Takes a marker that comes next. */
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

  /** Takes text as long as it matches, but not much more than `limit` characters. */
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

  /** Returns true if a marker comes next, without taking it. */
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

  /** Takes a marker and returns true if it comes next. */
  *accept(marker: string): Step<boolean> {
    const isNext = yield* this.at(marker);
    if (isNext) this.skip(marker);
    return isNext;
  }

  /**
   * Waits until a marker has arrived, at any later place, or the output has ended. Takes nothing.
   *
   * @returns true if the marker comes later
   */
  *isAhead(marker: string): Step<boolean> {
    // Arriving text stays in pieces meanwhile: appending it to a text that is searched each time would cost its whole length.
    this.#isWaiting = true;
    const found = yield* this.#find(marker);
    this.#isWaiting = false;
    this.#refill();
    return found;
  }

  *#find(marker: string): Step<boolean> {
    const isToken = this.#tokens.has(marker);
    if (!isToken && this.#text.includes(marker)) return true;
    // A marker may be divided over texts.
    let tail = this.#text.slice(-marker.length);
    for (let searched = 0; ; searched++) {
      while (searched === this.#queue.length) {
        if (this.#ended) return false;
        yield;
      }
      const piece = this.#queue.peek(searched);
      if (isToken && piece?.kind === "token" && piece.text === marker) return true;
      tail = piece?.kind === "text" ? tail + piece.text : "";
      if (!isToken && tail.includes(marker)) return true;
      tail = tail.slice(-marker.length);
    }
  }

  /** Reads text up to the first of the markers and returns it without taking it; undefined at the end of the output. */
  *until(markers: Markers, onText: (text: string) => void): Step<string | undefined> {
    while (yield* this.ready()) {
      if (this.text === "") {
        const token = this.#queue.next;
        if (token === undefined) continue;
        if (token.text === this.#closing?.marker) yield* this.#readClosing(this.#closing, onText);
        else if (markers.hasToken(token.text)) return token.text;
        else onText(this.#takeToken(token.text));
        continue;
      }
      const window = this.text.slice(0, WINDOW);
      const isAll = window.length === this.text.length;
      const { at, marker } = markers.search(window, isAll && this.textIsWhole);
      if (at > 0) onText(this.take(at));
      if (marker !== undefined && marker === this.#closing?.marker) yield* this.#readClosing(this.#closing, onText);
      else if (marker !== undefined) return marker;
      else if (isAll && this.text !== "") yield;
    }
    return undefined;
  }

  /** Starts to record the text that is read, with markers. */
  startRecording(): void {
    this.#record = "";
  }

  /** Ends the recording and returns the text that was read since {@link startRecording}. */
  endRecording(): string {
    const recorded = this.#record ?? "";
    this.#record = undefined;
    return recorded;
  }

  /** Takes the marker that closes the output. It is text if anything but white space follows. */
  *#readClosing({ marker, onClose }: Closing, onText: (text: string) => void): Step<void> {
    this.skip(marker);
    const space = yield* this.takeWhile(SPACE, Number.POSITIVE_INFINITY);
    if (yield* this.ready()) onText(marker + space);
    else onClose();
  }

  #takeToken(text: string): string {
    this.skip(text);
    return text;
  }

  #feedText(text: string): void {
    if (this.#queue.length > 0 || this.#isWaiting) this.#queue.push({ kind: "text", text });
    else this.#text += text;
  }

  /** Makes the text after a token readable, after the token was taken. */
  #refill(): void {
    while (this.#queue.next?.kind === "text") this.#text += this.#queue.shift()?.text ?? "";
  }
}
