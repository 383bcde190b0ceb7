import type { Message } from "../../../conversation/message.js";
import type { OutputEvent, ParsedOutput } from "../output-parser.js";
import type { TokenSpan } from "../tokens/text-tokens.js";
/** Positions in an output. A position is a number of characters, including the characters of markers. */
export interface OutputPlaces {
    /** Returns how much of the output is read, which is the end of the text that is being written. */
    readonly position: () => number;
    /** Returns the tokens of the text between two places, if events have tokens. */
    readonly findTokens?: (from: number, to: number) => TokenSpan;
}
/**
 * Collects an output as events and as a message. White space next to a marker belongs to the marker. At the end of a text,
 * it is held back until the next text or marker; at the beginning, it is dropped.
 */
export declare class MessageWriter {
    #private;
    constructor(trims: boolean, places: OutputPlaces);
    readonly text: (text: string) => void;
    readonly reasoning: (text: string) => void;
    /** Notes that a marker stands here. */
    markBoundary(): void;
    /** Begins a new text. A line break separates it from an earlier one. */
    beginPart(): void;
    /** Writes a malformed call, as text. */
    writeMalformed(text: string): void;
    /** Writes a well-formed call. */
    writeCall(id: string, name: string, args: string): void;
    /** Returns the events since the last call of this method. */
    take(): OutputEvent[];
    /** Writes the white space that was held back. */
    flush(): void;
    get message(): Message;
    get toolCalls(): ParsedOutput["toolCalls"];
}
