import { TemplateError } from "../chat-model.js";
// A word that no template contains.
const NAME = "probe_function";
const TOOL = {
    type: "function",
    function: { name: NAME, description: "Probes.", parameters: { type: "object", properties: {} } },
};
const USER = { role: "user", content: "Hello" };
const SYSTEM = { role: "system", content: "Help." };
const CALL = { id: "call00001", name: NAME, arguments: "{}" };
const CALLING = { role: "assistant", content: "", toolCalls: [CALL] };
const RESULT = { role: "tool", content: "0", toolCallId: CALL.id, name: NAME };
const OFFERED = [
    { messages: [USER], tools: [TOOL] },
    { messages: [SYSTEM, USER], tools: [TOOL] },
];
// Some templates refuse a call without its result, and some show only one of the two. The result does not name its tool.
const CALLED = [
    { messages: [USER, CALLING] },
    { messages: [USER, CALLING, { ...RESULT, name: "other" }] },
];
/** Returns true if a template shows tools or calls, so its model was trained to call tools. */
export function showsTools(template) {
    return [...OFFERED, ...CALLED].some((conversation) => render(template, conversation).includes(NAME));
}
/**
 * Returns true if a template leaves out the calls of earlier turns, so the model does not see what it has called. Returns false
 * if the template refuses them, because requests with calls are then refused.
 */
export function omitsCalls(template) {
    const rendered = CALLED.map((conversation) => render(template, conversation)).filter((text) => text !== "");
    return rendered.length > 0 && !rendered.some((text) => text.includes(NAME));
}
/** Returns an empty text if the template refuses the conversation. */
function render(template, conversation) {
    try {
        return template.render(conversation, true);
    }
    catch (error) {
        if (error instanceof TemplateError)
            return "";
        throw error;
    }
}
//# sourceMappingURL=shows-tools.js.map