import type { Readable } from "node:stream";
/** The last lines of a stream, as text. */
export declare class OutputTail {
    #private;
    /** @param limit bytes kept, at least 1 */
    constructor(stream: Readable, limit: number);
    /**
     * The text without white space at its ends; empty if there was no output. It begins with `…` if earlier lines are
     * missing.
     */
    get text(): string;
    /** Number of bytes that were read. */
    get received(): number;
    /** Discards the text and all later output. */
    end(): void;
    clear(): void;
}
/** Returns a sentence about a process that failed, followed by the end of its standard error. */
export declare function appendTail(sentence: string, text: string): string;
/** Returns a message without the end of the standard error that {@link appendTail} put there. */
export declare function removeTail(message: string, text: string): string;
