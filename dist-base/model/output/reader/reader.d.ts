import type { Piece } from "../piece.js";
import { Markers } from "./markers.js";
/** A generator that reads a part of an output. It yields when it needs more of the output. */
export type Step<T> = Generator<undefined, T, undefined>;
/**
 * The unread part of an output. Parsers are generators that read from it: they continue when pieces are fed, and hold back
 * only text that is still ambiguous.
 */
export declare class OutputReader {
    #private;
    /** @param tokens spellings of the tokens that are markers of the format */
    constructor(tokens: ReadonlySet<string>);
    feed(pieces: readonly Piece[]): void;
    /** @param isCut the output was cut off, so its last part may be incomplete */
    end(isCut: boolean): void;
    /** Leaves out this marker where the output ends with it. Elsewhere it is text. */
    closeWith(marker: string, onClose: () => void): void;
    markers(spellings: readonly string[]): Markers;
    /** Number of characters of the output that are read. */
    get position(): number;
    /** The text before the next token that has arrived. */
    get text(): string;
    /** All text before the next token, or before the end, has arrived. */
    get textIsWhole(): boolean;
    /** Waits for text or a token. Returns false at the end of the output. */
    ready(): Step<boolean>;
    /** The output has ended because it was cut off. */
    get isCut(): boolean;
    /** Waits for text or a token. Returns true at the end of an output that was not cut off. */
    atWholeEnd(): Step<boolean>;
    /** Returns the next character of text; undefined if a token or the end comes next. */
    peek(): Step<string | undefined>;
    take(length: number): string;
    /** Takes a marker that comes next. */
    skip(marker: string): void;
    skipSpace(): Step<void>;
    /** Takes text as long as it matches, but not much more than `limit` characters. */
    takeWhile(pattern: RegExp, limit: number): Step<string>;
    /** Returns true if a marker comes next, without taking it. */
    at(marker: string): Step<boolean>;
    /** Takes a marker and returns true if it comes next. */
    accept(marker: string): Step<boolean>;
    /**
     * Waits until a marker has arrived, at any later place, or the output has ended. Takes nothing.
     *
     * @returns true if the marker comes later
     */
    isAhead(marker: string): Step<boolean>;
    /** Reads text up to the first of the markers and returns it without taking it; undefined at the end of the output. */
    until(markers: Markers, onText: (text: string) => void): Step<string | undefined>;
    /** Starts to record the text that is read, with markers. */
    startRecording(): void;
    /** Ends the recording and returns the text that was read since {@link startRecording}. */
    endRecording(): string;
}
