import { runAtOnce } from "../support/async/steps.js";
import { canonicalJsonInSteps } from "../support/json/canonical-json.js";
import { toTextFilters } from "./text-filter.js";
/**
 * Returns the canonical form of messages, by which conversations are compared: one string per message.
 *
 * Two strings are equal exactly if these are equal: the role, the text without trailing white space, the name and the
 * arguments (as JSON values) of each tool call, and the `tool_call_id` of a tool result. Reasoning, call ids and `name` are ignored, because agents
 * drop or add them between turns. `system` and `developer` are different roles: a template may show them differently.
 *
 * @param filters every match is removed from the text before the comparison
 */
export function canonicalMessages(messages, filters) {
    return runAtOnce(canonicalMessagesInSteps(messages, filters));
}
/** {@link canonicalMessages} in steps, for calls with tens of thousands of values in their arguments. */
export function* canonicalMessagesInSteps(messages, filters) {
    const textFilters = toTextFilters(filters);
    const canonical = [];
    for (const message of messages)
        canonical.push(yield* canonicalMessage(message, textFilters));
    return canonical;
}
// JSON of nested arrays is injective: no two different messages share a string.
function* canonicalMessage(message, filters) {
    const text = filters.reduce((rest, filter) => filter.removeMatches(rest), message.content).trimEnd();
    const parts = [message.role, text];
    if (message.toolCalls !== undefined && message.toolCalls.length > 0) {
        const calls = [];
        for (const call of message.toolCalls)
            calls.push(yield* canonicalCall(call));
        parts.push(calls);
    }
    if (message.role === "tool")
        parts.push(message.toolCallId ?? "");
    return JSON.stringify(parts);
}
/** Arguments that are not JSON are compared as text. The third item keeps them different from all JSON arguments. */
function* canonicalCall(call) {
    const json = yield* canonicalJsonInSteps(call.arguments);
    return json === undefined ? [call.name, call.arguments, "text"] : [call.name, json];
}
//# sourceMappingURL=canonical.js.map