import type { MessageWriter } from "../message/message-writer.js";
import type { OutputReader, Step } from "../reader/reader.js";
import type { ReasoningCount } from "../tokens/reasoning-count.js";
/** The markers that most models use. */
export declare const THINK: {
    readonly begin: "<think>";
    readonly end: "</think>";
};
/** Reasoning that stands between two markers at the start of an output. */
export interface ReasoningBlock {
    readonly begin: string;
    readonly end: string;
    /** The output begins with reasoning even without an opening marker, unless the prompt has ended the reasoning. */
    readonly isForced?: boolean;
    /**
     * The opening marker of a tool call ends the reasoning too: always, or only if the reasoning has no end in a whole output.
     * In the second case, a call in reasoning that ends later is a draft.
     */
    readonly endsAtCalls?: true | "unclosed";
    /** Markers around the answer after the reasoning. They belong to neither. */
    readonly answer?: {
        readonly begin: string;
        readonly end: string;
    };
    /** Text after the opening marker that belongs to it. */
    readonly label?: string;
    /** An answer without reasoning may begin with the closing marker. */
    readonly mayOnlyEnd?: boolean;
}
interface ReasoningContext {
    readonly reader: OutputReader;
    readonly out: MessageWriter;
    readonly count: ReasoningCount;
    readonly block: ReasoningBlock;
    /** The reasoning has begun before the first token of the output. */
    readonly isOpen: boolean;
    /** Markers of tool calls that end the reasoning. */
    readonly callMarkers: readonly string[];
}
/** Returns true if the reasoning has begun before the first token of the output. */
export declare function isOpenAt(promptEnd: string, { begin, end, label, isForced }: ReasoningBlock): boolean;
/**
 * Reads the reasoning at the start of an output. Without an end marker, the whole output is reasoning: it was cut off.
 */
export declare function readReasoning(context: ReasoningContext): Step<void>;
/** Takes the marker before the answer, if it comes next, and leaves out the marker at the end of the output. */
export declare function openAnswer({ reader, out }: Pick<ReasoningContext, "reader" | "out">, { begin, end }: NonNullable<ReasoningBlock["answer"]>): Step<void>;
export {};
