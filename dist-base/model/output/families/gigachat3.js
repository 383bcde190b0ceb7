import { describeJsonCall } from "../structure/call-structure.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { readJsonCall } from "../syntax/json-call.js";
const BEGIN = "<|function_call|>";
/** GigaChat 3.1: a JSON object behind a marker. The models make one call in a turn. Source: the model's chat template. */
export const gigachat3 = {
    name: "gigachat3",
    calls: {
        docs: { models: "GigaChat 3.1", call: '`<|function_call|>{"name": …, "arguments": {…}}`', arguments: "JSON" },
        detection: { template: [BEGIN] },
        syntax: framedCalls({ begin: BEGIN, body: (context, call) => readJsonCall(context, call) }),
        structure: {
            trigger: BEGIN,
            list: { opener: BEGIN },
            describeCall: describeJsonCall((name) => `${BEGIN}{"name": "${name}", "arguments": `, "}"),
        },
    },
};
//# sourceMappingURL=gigachat3.js.map