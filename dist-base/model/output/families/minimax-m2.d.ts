/** MiniMax-M2: calls in tags that name function and parameters in an attribute. Source: the model's chat template. */
export declare const minimaxM2: {
    readonly name: "minimax_m2";
    readonly calls: {
        readonly docs: {
            readonly models: "MiniMax-M2";
            readonly call: '`<minimax:tool_call><invoke name="NAME"><parameter name="KEY">…`';
            readonly arguments: "text";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["minimax_m2"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}
`;
                readonly end: `
${string}`;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
