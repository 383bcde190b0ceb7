import { hasCalls, makeFollower, makeMarker, makeStandIns, USER } from "./stand-in.js";
export function describeShape(hasSystem, hasTools, answer, next) {
    return { hasSystem, hasTools, calls: hasCalls(answer), next: next.role === "tool" ? "tool" : "user" };
}
/** The word in a probe's system message and tool. No template contains it. */
export const PROBE_WORD = "rolltapeProbe";
const SYSTEM = { role: "system", content: PROBE_WORD };
const TOOL = {
    type: "function",
    function: { name: PROBE_WORD, description: PROBE_WORD, parameters: { type: "object", properties: {} } },
};
const CALL = { id: "call00001", name: "standInFunction", arguments: "{}" };
/** Makes short conversations of a shape, one for each form of the answer. The answer ends with {@link PROBE_MARKER}. */
export function makeProbes(shape, history = []) {
    const answer = { role: "assistant", content: "", ...(shape.calls ? { toolCalls: [CALL] } : {}) };
    const tools = shape.hasTools ? { tools: [TOOL] } : {};
    return makeStandIns(answer, PROBE_MARKER).map((standIn) => {
        const follower = makeFollower({ role: shape.next, content: "" }, standIn);
        return { messages: [...(shape.hasSystem ? [SYSTEM] : []), USER, ...history, standIn, follower], ...tools };
    });
}
export const PROBE_MARKER = makeMarker([]);
/** Remembers the result of a probe for each shape. */
export class ByShape {
    #results = new Map();
    #probe;
    constructor(probe) {
        this.#probe = probe;
    }
    get(shape) {
        const key = [shape.hasSystem, shape.hasTools, shape.calls, shape.next].join();
        const result = this.#results.get(key) ?? this.#probe(shape);
        this.#results.set(key, result);
        return result;
    }
}
//# sourceMappingURL=conversation-shape.js.map