import type { Tool } from "../../../conversation/message.js";
import { type Format, type TagFormat } from "./format.js";
import { type Parameter } from "./parameters.js";
/** How models of a family write calls, as far as an engine's grammar can describe it. */
export interface CallStructure {
    /** The text with which a call or a section of calls begins. Undefined if an answer may begin the same way. */
    readonly trigger?: string;
    readonly section?: {
        readonly begin: string;
        readonly end: string;
    };
    /** The separator between two calls, or if there is none, the text with which each call begins. */
    readonly list: {
        readonly separator: string;
    } | {
        readonly opener: string;
    };
    readonly describeCall: (tool: Tool) => TagFormat;
}
/** Describes a list of calls, or only one call. */
export declare function describeCalls(structure: CallStructure, tools: readonly Tool[], single: boolean): Format;
/** Describes text that may contain calls. Undefined if an engine could not distinguish calls from text. */
export declare function describeTextWithCalls(structure: CallStructure, tools: readonly Tool[], single: boolean): Format | undefined;
/** Describes the JSON object of a tool's arguments. */
export declare function describeJsonArguments({ function: called }: Tool): Format;
/** Describes a call that consists of the text of `open`, the JSON object of its arguments, and `close`. */
export declare function describeJsonCall(open: (name: string) => string, close: string): CallStructure["describeCall"];
/**
 * Describes the arguments of a tool in the order of its schema. Any text is allowed if the schema lists no parameters.
 *
 * @param write describes one argument
 * @param between describes the text before the first argument, between two, and after the last
 */
export declare function describeArguments(tool: Tool, write: (parameter: Parameter) => Format, between?: readonly Format[]): Format;
/** Describes a value: text if the schema allows a string, otherwise JSON. */
export declare const describeValue: ({ text, json: value }: Parameter) => Format;
