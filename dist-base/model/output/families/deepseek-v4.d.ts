/** DeepSeek V4: as V3.2, in a section of another name. Source: the model's chat template. */
export declare const deepseekV4: {
    readonly name: "deepseek_v4";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V4";
            readonly call: "the same in `<｜DSML｜tool_calls>`";
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: readonly ["｜DSML｜", "tool_calls>"];
            readonly templateLacks: readonly ["function_calls>"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: import("../structure/call-structure.js").CallStructure;
    };
};
