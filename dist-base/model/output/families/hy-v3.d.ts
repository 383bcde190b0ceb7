/** Tencent Hy3. Source: the model's chat template. */
export declare const hyV3: {
    readonly name: "hy_v3";
    readonly calls: {
        readonly docs: {
            readonly models: "Tencent Hy3";
            readonly call: string;
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly [":opensource", "<tool_sep"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: import("../structure/call-structure.js").CallStructure;
    };
    readonly reasoning: {
        readonly docs: `\`${string}\` and \`${string}\``;
        readonly detection: {
            readonly markers: readonly [string, ":opensource"];
        };
        readonly block: {
            readonly begin: string;
            readonly end: string;
        };
    };
};
