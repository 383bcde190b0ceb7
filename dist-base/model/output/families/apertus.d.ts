/** Apertus: a list of objects whose only key is the function's name. Source: the model's chat template. */
export declare const apertus: {
    readonly name: "apertus";
    readonly calls: {
        readonly docs: {
            readonly models: "Apertus";
            readonly call: '`<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["apertus"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
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
        readonly docs: "`<|inner_prefix|>` and `<|inner_suffix|>`";
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            begin: string;
            end: string;
        };
    };
};
