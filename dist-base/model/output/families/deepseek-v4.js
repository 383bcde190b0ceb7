import { dsmlCalls, dsmlStructure } from "../syntax/dsml-calls.js";
const SECTION = "tool_calls";
/** DeepSeek V4: as V3.2, in a section of another name. Source: the model's chat template. */
export const deepseekV4 = {
    name: "deepseek_v4",
    calls: {
        docs: { models: "DeepSeek V4", call: "the same in `<｜DSML｜tool_calls>`", arguments: "marked text" },
        detection: { template: ["｜DSML｜", `${SECTION}>`], templateLacks: ["function_calls>"] },
        syntax: dsmlCalls(SECTION),
        structure: dsmlStructure(SECTION),
    },
};
//# sourceMappingURL=deepseek-v4.js.map