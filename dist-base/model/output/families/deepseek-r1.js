import { THINK } from "../reasoning/reasoning-block.js";
/** DeepSeek R1 always reasons, and its first templates did not begin the reasoning in the prompt. */
export const deepseekR1 = {
    name: "deepseek_r1",
    reasoning: {
        docs: "`<think>` and `</think>`; begun without a marker unless the prompt has ended it",
        block: { ...THINK, isForced: true },
    },
};
//# sourceMappingURL=deepseek-r1.js.map