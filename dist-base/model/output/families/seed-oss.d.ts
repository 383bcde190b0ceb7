/**
 * Seed-OSS: calls as in `qwen3_coder`, but values stand right between their tags. Source: the model's chat template.
 */
export declare const seedOss: {
    readonly name: "seed_oss";
    readonly calls: {
        readonly docs: {
            readonly models: "Seed-OSS";
            readonly call: "`<seed:tool_call><function=NAME><parameter=KEY>…`";
            readonly arguments: "text";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["seed_oss"];
        };
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
        readonly docs: "`<seed:think>` and `</seed:think>`; a call ends it if nothing else does";
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            readonly begin: string;
            readonly end: string;
            readonly endsAtCalls: "unclosed";
        };
    };
};
