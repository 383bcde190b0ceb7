import { hyV3Tags } from "../syntax/hy-v3-tags.js";
const { example, syntax, structure } = hyV3Tags("");
/** Tencent Hy3-preview: the same as Hy3, without a suffix in the tags. Sources: the parsers of SGLang and vLLM. */
export const hyV3Preview = {
    name: "hy_v3_preview",
    calls: {
        docs: { models: "Tencent Hy3-preview", call: example, arguments: "text or JSON" },
        detection: { template: ["<tool_sep", "<arg_key"], templateLacks: [":opensource"] },
        syntax,
        structure,
    },
};
//# sourceMappingURL=hy-v3-preview.js.map