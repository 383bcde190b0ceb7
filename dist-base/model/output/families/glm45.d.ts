/** GLM 4.5 and 4.6 write each key and value on a separate line, 4.7 does not. Sources: the models' chat templates. */
export declare const glm45: {
    readonly name: "glm45";
    readonly calls: {
        readonly docs: {
            readonly models: "GLM 4.5 to 4.7";
            readonly call: "`<tool_call>NAME<arg_key>…</arg_key><arg_value>…`";
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly templateLacks: readonly ["<tool_sep>"];
            readonly modelTypes: readonly ["glm4_moe"];
        };
        readonly thinksLike: "glm45";
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; a call ends it if nothing else does";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly endsAtCalls: "unclosed";
        };
    };
};
