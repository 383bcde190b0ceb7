import { describeJsonCall } from "../structure/call-structure.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { readJsonCall } from "../syntax/json-call.js";
const CALL = { begin: "<tool_call>", end: "</tool_call>" };
/**
 * A JSON object between tags. Sources: NousResearch's Hermes-Function-Calling; the models' chat templates.
 *
 * The tag is common: other families write other calls between the same tags, or lists of them in `<tool_calls>`.
 */
export const hermes = {
    name: "hermes",
    calls: {
        docs: {
            models: "Hermes 2 and 3, Qwen 2.5 and 3, Granite 4",
            call: '`<tool_call>{"name": …, "arguments": {…}}</tool_call>`',
            arguments: "JSON",
        },
        detection: { template: ["<tool_call>", '"arguments'], templateLacks: ["<tool_calls>"], isShared: true },
        thinksLike: "qwen3",
        syntax: framedCalls({ ...CALL, body: readJsonCall }),
        structure: {
            trigger: CALL.begin,
            list: { separator: "\n" },
            describeCall: describeJsonCall((name) => `${CALL.begin}\n{"name": "${name}", "arguments": `, `}\n${CALL.end}`),
        },
    },
};
//# sourceMappingURL=hermes.js.map