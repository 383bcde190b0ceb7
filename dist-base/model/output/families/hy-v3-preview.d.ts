/** Tencent Hy3-preview: the same as Hy3, without a suffix in the tags. Sources: the parsers of SGLang and vLLM. */
export declare const hyV3Preview: {
    readonly name: "hy_v3_preview";
    readonly calls: {
        readonly docs: {
            readonly models: "Tencent Hy3-preview";
            readonly call: string;
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly ["<tool_sep", "<arg_key"];
            readonly templateLacks: readonly [":opensource"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: import("../structure/call-structure.js").CallStructure;
    };
};
