/**
 * Kimi K2: the call's id `functions.NAME:INDEX`, which later prompts must repeat, and the arguments.
 * Sources: the model's chat template and tool-calling guide.
 */
export declare const kimiK2: {
    readonly name: "kimi_k2";
    readonly calls: {
        readonly docs: {
            readonly models: "Kimi K2";
            readonly call: "`<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}`";
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["kimi_k2"];
        };
        readonly thinksLike: "kimi_k2";
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly opener: "<|tool_call_begin|>";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; the section of calls ends it";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly endsAtCalls: true;
        };
    };
};
