/** DeepSeek V3.1: the name, a separator, the arguments. Source: the model's chat template. */
export declare const deepseekV31: {
    readonly name: "deepseek_v31";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V3.1";
            readonly call: `\`${string}NAME${string}{…}\``;
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly templateLacks: readonly ["```json"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly opener: string;
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
