/**
 * Qwen3-Coder, Qwen3.5, Nemotron 3 and others. Models often forget the tags around a call. Sources: the models' chat
 * templates.
 */
export declare const qwen3Coder: {
    readonly name: "qwen3_coder";
    readonly calls: {
        readonly docs: {
            readonly models: "Qwen3-Coder, Qwen3.5, Nemotron 3";
            readonly call: "`<tool_call><function=NAME><parameter=KEY>…`";
            readonly arguments: "text";
        };
        readonly detection: {
            readonly template: readonly ["<function=", "<parameter="];
            readonly templateLacks: readonly ["<seed:tool_call>"];
        };
        readonly thinksLike: "qwen3";
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
