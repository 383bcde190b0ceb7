import { dsmlCalls, dsmlStructure } from "../syntax/dsml-calls.js";
const SECTION = "function_calls";
/** DeepSeek V3.2. Source: the model's chat template. */
export const deepseekV32 = {
    name: "deepseek_v32",
    calls: {
        docs: {
            models: "DeepSeek V3.2",
            call: '`<｜DSML｜function_calls><｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true">…`',
            arguments: "marked text",
        },
        detection: { template: ["｜DSML｜", `${SECTION}>`] },
        syntax: dsmlCalls(SECTION),
        structure: dsmlStructure(SECTION),
    },
};
//# sourceMappingURL=deepseek-v32.js.map