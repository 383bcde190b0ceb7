import type { Step } from "../reader/reader.js";
import { type CallContext } from "../syntax/call-syntax.js";
import type { OutputSyntaxOptions } from "../syntax/output-syntax.js";
/**
 * gpt-oss writes messages, each with a channel. The analysis channel is reasoning, a message to `functions.NAME` is a
 * call, and all others are text. Source: OpenAI's harmony response format.
 */
export declare const gptOss: {
    readonly name: "gpt_oss";
    readonly output: {
        readonly markers: string[];
        readonly read: typeof read;
    };
    readonly structure: import("../structure/whole-structure.js").WholeStructure;
    readonly calls: {
        readonly docs: {
            readonly models: "gpt-oss";
            readonly call: "a message to `functions.NAME`";
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["<|channel|>", "<|message|>"];
            readonly modelTypes: readonly ["gpt_oss"];
        };
    };
    readonly reasoning: {
        readonly docs: "the analysis channel";
    };
};
declare function read(context: CallContext, options: OutputSyntaxOptions): Step<void>;
export {};
