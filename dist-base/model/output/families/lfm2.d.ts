import type { Tool } from "../../../conversation/message.js";
/**
 * Liquid's LFM2 and LFM2.5: a Python list of calls between markers, in which templates and models do not escape quotes.
 * If the system message asks for JSON, the calls are JSON objects. Sources: the models' chat templates and documentation.
 */
export declare const lfm2: {
    readonly name: "lfm2";
    readonly calls: {
        readonly docs: {
            readonly models: "LFM2, LFM2.5";
            readonly call: `\`${string}[f(a=1, b="x"), g()]${string}\``;
            readonly arguments: "Python";
        };
        readonly detection: {
            readonly template: readonly ["List of tools: ", "<|im_start|>"];
            readonly modelTypes: readonly ["lfm2", "lfm2_moe", "lfm2_vl"];
        };
        readonly thinksLike: "qwen3";
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
