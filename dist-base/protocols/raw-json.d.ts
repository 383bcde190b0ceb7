import { type JsonText } from "./long-json.js";
/** A value of an answer that brings its own JSON text, which is inserted verbatim. */
export declare abstract class InsertedJson {
    /** Approximate number of characters of the text. */
    abstract readonly size: number;
    /** Memory that the value takes, in bytes. */
    abstract readonly memory: number;
    /** Returns the text in pieces that take less than a millisecond each to write. */
    abstract pieces(): Iterable<string>;
    /** Lets plain `JSON.stringify` work, which may round numbers. */
    toJSON(): unknown;
}
/** A JSON text that an answer contains verbatim, so that numbers that `JSON.parse` would round keep their spelling. */
export declare class RawJson extends InsertedJson {
    readonly text: string;
    constructor(text: string);
    get size(): number;
    get memory(): number;
    pieces(): Iterable<string>;
}
/** Like `JSON.stringify`, but writes the text of each {@link InsertedJson}. A text that is too long for one string has pieces. */
export declare function writeJson(value: unknown): JsonText;
