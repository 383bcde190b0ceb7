/** GigaChat 3.1: a JSON object behind a marker. The models make one call in a turn. Source: the model's chat template. */
export declare const gigachat3: {
    readonly name: "gigachat3";
    readonly calls: {
        readonly docs: {
            readonly models: "GigaChat 3.1";
            readonly call: '`<|function_call|>{"name": …, "arguments": {…}}`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["<|function_call|>"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: "<|function_call|>";
            readonly list: {
                readonly opener: "<|function_call|>";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
