/**
 * A JSON object between tags. Sources: NousResearch's Hermes-Function-Calling; the models' chat templates.
 *
 * The tag is common: other families write other calls between the same tags, or lists of them in `<tool_calls>`.
 */
export declare const hermes: {
    readonly name: "hermes";
    readonly calls: {
        readonly docs: {
            readonly models: "Hermes 2 and 3, Qwen 2.5 and 3, Granite 4";
            readonly call: '`<tool_call>{"name": …, "arguments": {…}}</tool_call>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["<tool_call>", "\"arguments"];
            readonly templateLacks: readonly ["<tool_calls>"];
            readonly isShared: true;
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
