import { describeJsonArguments } from "./call-structure.js";
import { ANY_TEXT, constant, oneOf, optional, sequence, tag } from "./format.js";
const ASSISTANT = "<|start|>assistant";
const CALL_CHANNEL = "<|channel|>commentary";
/**
 * The structure of gpt-oss's outputs: messages, of which only the last is a call or the answer, since the end of a call ends
 * the output. Source: OpenAI's harmony response format.
 *
 * Engines end an output at `<|return|>` and perhaps at `<|call|>`. A token that ends an output is no text for a grammar, so
 * `<|call|>` is optional.
 */
export const harmonyStructure = { describeOutput };
function describeOutput({ tools, mustCall, single, answer, promptEnd }) {
    if (!promptEnd.trimEnd().endsWith(ASSISTANT))
        return undefined;
    const calls = tools.flatMap(describeCall);
    if (mustCall)
        return sequence([...BEFORE, oneOf(calls)]);
    if (answer)
        return sequence([...BEFORE, oneOf([describeFinal(answer), ...calls])]);
    // A call without a channel at the very beginning of an output is not checked. Models begin with a channel.
    const tags = tools.flatMap((tool) => [
        tag(`${CALL_CHANNEL}${recipient(tool)}`, describeRest(tool, ""), ""),
        tag(`${ASSISTANT}${recipient(tool)}`, describeRest(tool, CALL_CHANNEL), ""),
    ]);
    const triggers = [CALL_CHANNEL, ASSISTANT].map((begin) => `${begin} to=`);
    return { type: "triggered_tags", triggers, tags, at_least_one: false, stop_after_first: single };
}
const message = (header) => optional(sequence([tag(`${header}<|message|>`, ANY_TEXT, "<|end|>"), constant(ASSISTANT)]));
/** Messages before a call or the answer: reasoning, a preamble, more reasoning. */
const BEFORE = ["<|channel|>analysis", CALL_CHANNEL, "<|channel|>analysis"].map(message);
const recipient = (tool) => ` to=functions.${tool.function.name}`;
/** The recipient may stand after the channel, as models write it, or before it, as chat templates do. */
function describeCall(tool) {
    return [
        tag(`${CALL_CHANNEL}${recipient(tool)}`, describeRest(tool, ""), ""),
        tag(recipient(tool), describeRest(tool, CALL_CHANNEL), ""),
    ];
}
function describeRest(tool, channel) {
    const kinds = [" <|constrain|>json", " json", ""].map((kind) => constant(`${channel}${kind}<|message|>`));
    return sequence([oneOf(kinds), describeJsonArguments(tool), optional(constant("<|call|>"))]);
}
function describeFinal(answer) {
    const kinds = ["", " <|constrain|>json"].map((kind) => constant(`<|channel|>final${kind}<|message|>`));
    return sequence([oneOf(kinds), answer]);
}
//# sourceMappingURL=harmony-structure.js.map