import { hyV3Tags } from "../syntax/hy-v3-tags.js";
/** The suffix of every tag of the released checkpoints. */
const SUFFIX = ":opensource";
const { example, think, syntax, structure } = hyV3Tags(SUFFIX);
/** Tencent Hy3. Source: the model's chat template. */
export const hyV3 = {
    name: "hy_v3",
    calls: {
        docs: { models: "Tencent Hy3", call: example, arguments: "text or JSON" },
        // The template appends the suffix in a variable.
        detection: { template: [SUFFIX, "<tool_sep"] },
        syntax,
        structure,
    },
    reasoning: {
        docs: `\`${think.begin}\` and \`${think.end}\``,
        detection: { markers: [think.begin, SUFFIX] },
        block: think,
    },
};
//# sourceMappingURL=hy-v3.js.map