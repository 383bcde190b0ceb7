import { measureLogprobs } from "./logprobs.js";
/** Adds an event to the parts of an output: extends the last part or appends a new one. */
export function addToParts(parts, event) {
    const last = parts.at(-1);
    switch (event.type) {
        case "reasoning":
            if (last?.type === event.type)
                parts[parts.length - 1] = { type: event.type, text: last.text + event.text };
            else
                parts.push({ type: event.type, text: event.text });
            break;
        case "text":
            if (last?.type === event.type)
                parts[parts.length - 1] = extend(last, event);
            else
                parts.push(extend({ type: event.type, text: "" }, event));
            break;
        case "tool_call":
            parts.push({ type: "tool_call", id: event.id, name: event.name, arguments: "" });
            break;
        case "tool_call_arguments":
            if (last?.type === "tool_call")
                parts[parts.length - 1] = { ...last, arguments: last.arguments + event.text };
            break;
    }
}
/** Appends log probabilities in place: a copy of the list for every piece would make long outputs quadratic. */
function extend({ type, text, logprobs = [] }, added) {
    if (added.logprobs === undefined)
        return { type, text: text + added.text };
    // The list of a part under construction is its own: the first piece was added to a new one.
    for (const run of added.logprobs)
        logprobs.push(run);
    return { type, text: text + added.text, logprobs };
}
/** Returns the memory of the log probabilities of all texts, in bytes. */
export function measurePartLogprobs(parts) {
    const bytes = parts.map((part) => (part.type === "text" && part.logprobs ? measureLogprobs(part.logprobs) : 0));
    return bytes.reduce((sum, each) => sum + each, 0);
}
//# sourceMappingURL=output-parts.js.map