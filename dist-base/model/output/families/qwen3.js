import { THINK } from "../reasoning/reasoning-block.js";
/** Qwen3 sometimes calls a tool without ending its reasoning. Source: the models' chat templates. */
export const qwen3 = {
    name: "qwen3",
    reasoning: {
        docs: "`<think>` and `</think>`; a call ends it",
        block: { ...THINK, endsAtCalls: true },
    },
};
//# sourceMappingURL=qwen3.js.map