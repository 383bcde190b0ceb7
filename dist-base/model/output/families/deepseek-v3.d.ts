/**
 * DeepSeek V3 and R1: `function`, a separator, the name, and the arguments between fences. Sources: the models' chat
 * templates.
 *
 * Its reasoning is the default for models with `</think>`.
 */
export declare const deepseekV3: {
    readonly name: "deepseek_v3";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V3, R1";
            readonly call: `\`${string}function${string}NAME\` and fenced JSON`;
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string, "```json"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`";
        readonly detection: {
            readonly markers: readonly ["</think>", "<think>"];
            readonly isShared: true;
        };
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
        };
    };
};
