/** DeepSeek V3.2. Source: the model's chat template. */
export declare const deepseekV32: {
    readonly name: "deepseek_v32";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V3.2";
            readonly call: '`<｜DSML｜function_calls><｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true">…`';
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: readonly ["｜DSML｜", "function_calls>"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: import("../structure/call-structure.js").CallStructure;
    };
};
