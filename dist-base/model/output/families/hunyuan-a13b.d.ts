import type { Step } from "../reader/reader.js";
import type { CallContext } from "../syntax/call-syntax.js";
/**
 * Hunyuan-A13B: a JSON list between tags. The model writes the answer, with its calls, between tags too. Sources: the
 * model's chat template and guide to agents.
 *
 * Apriel 1.5 and 1.6 write calls in the same way.
 */
export declare const hunyuanA13b: {
    readonly name: "hunyuan_a13b";
    readonly calls: {
        readonly docs: {
            readonly models: "Hunyuan-A13B, Apriel 1.5 and 1.6";
            readonly call: '`<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [`${string}[`];
            readonly modelTypes: readonly ["hunyuan_v1_moe"];
        };
        readonly thinksLike: "hunyuan_a13b";
        readonly syntax: {
            readonly markers: readonly string[];
            readonly read: typeof read;
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; `<answer>` and `</answer>` around the answer are left out";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly answer: {
                readonly begin: "<answer>";
                readonly end: "</answer>";
            };
        };
    };
};
declare function read(context: CallContext): Step<void>;
export {};
