import { describeJsonCall } from "../structure/call-structure.js";
import { listCalls } from "../syntax/call-list.js";
/** The bracket belongs to the marker, because answers about Python mention the module. */
const WORD = "functools[";
const TAGS = { begin: "<|tool_call|>", end: "<|/tool_call|>" };
const describeCall = describeJsonCall((name) => `{"name": "${name}", "arguments": `, "}");
const AFTER_WORD = {
    trigger: WORD,
    section: { begin: WORD, end: "]" },
    list: { separator: ", " },
    describeCall,
};
const IN_TAGS = {
    trigger: TAGS.begin,
    section: { begin: `${TAGS.begin}[`, end: `]${TAGS.end}` },
    list: { separator: ", " },
    describeCall,
};
/**
 * Phi-4-mini: a JSON list, after a word or between the model's own tokens, depending on what the prompt asks for.
 * Sources: the model card; the chat templates with which engines serve the model.
 *
 * The model's own template shows tools in `<|tool|>`, but no calls.
 */
export const phi4Mini = {
    name: "phi4_mini",
    calls: {
        docs: {
            models: "Phi-4-mini",
            call: '`functools[{"name": …, "arguments": {…}}]`, or the list between `<|tool_call|>` and `<|/tool_call|>`',
            arguments: "JSON",
        },
        detection: { template: [WORD], otherTemplate: ["<|/tool|>"] },
        syntax: listCalls([{ begin: WORD }, TAGS]),
        structure: (has) => (has(WORD) ? AFTER_WORD : IN_TAGS),
    },
};
//# sourceMappingURL=phi4-mini.js.map