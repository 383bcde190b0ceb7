import { writeJson } from "./raw-json.js";
/** Writes a server-sent event without a name, as in OpenAI's chat completions. */
export function dataEvent(value) {
    return dataLine(writeJson(value));
}
/** Writes an event without a name around JSON of one line. */
export function dataLine(json) {
    return enclose("data: ", json);
}
/** Writes a server-sent event that is named after its `type`. */
export function typedEvent(value) {
    return enclose(`event: ${value.type}\ndata: `, writeJson(value));
}
function enclose(fields, json) {
    return typeof json === "string" ? `${fields}${json}\n\n` : json.between(fields, "\n\n");
}
/** A comment, which clients ignore. */
export const KEEP_ALIVE_COMMENT = ": keep-alive\n\n";
//# sourceMappingURL=sse.js.map