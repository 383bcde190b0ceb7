import { findCallSyntax, findReasoningBlock, findWholeOutput } from "./family-lookup.js";
import { isOpenAt, openAnswer, readReasoning } from "./reasoning/reasoning-block.js";
/** Composes the format of an output: reasoning first, then text and tool calls. Calls in the reasoning do not count. */
export function createOutputFormat(families, options) {
    const whole = findWholeOutput(families.tools) ?? findWholeOutput(families.reasoning);
    if (whole)
        return wholeFormat(whole, families, options);
    const syntax = findCallSyntax(families.tools);
    const calls = (options.tools.length === 0 ? syntax?.textOnly : syntax) ?? NO_CALLS;
    const callMarkers = calls === syntax ? calls.markers.slice(0, 1) : [];
    const block = findReasoningBlock(families.reasoning);
    const reasoning = options.answerBegun === true ? undefined : block;
    const answer = block?.answer;
    return {
        markers: [
            ...(reasoning ? [reasoning.begin, reasoning.end] : []),
            ...(answer ? [answer.begin, answer.end] : []),
            ...calls.markers,
        ],
        markerParts: calls.markerParts ?? [],
        read: (reader, out, count) => {
            const context = makeContext(reader, out, options);
            return readParts({ context, count, reasoning, callMarkers, answer, calls, options });
        },
    };
}
/** Not a function in the format, which is made for every output: V8 would make hidden classes for the generators of each. */
function* readParts({ context, count, reasoning, callMarkers, answer, calls, options }) {
    if (reasoning)
        yield* readBlock({ ...context, count }, reasoning, callMarkers, options.promptEnd);
    else
        count.end(0);
    if (answer)
        yield* openAnswer(context, answer);
    yield* calls.read(context);
}
const NO_CALLS = {
    markers: [],
    *read({ reader, out }) {
        yield* reader.until(reader.markers([]), out.text);
    },
};
function* readBlock({ reader, out, count }, block, callMarkers, promptEnd) {
    const ends = block.endsAtCalls ? callMarkers : [];
    yield* readReasoning({ reader, out, count, block, isOpen: isOpenAt(promptEnd, block), callMarkers: ends });
}
function wholeFormat({ name, output }, families, options) {
    const reasoning = families.reasoning === name;
    const calls = families.tools === name && options.tools.length > 0;
    const { promptEnd } = options;
    return {
        markers: output.markers,
        read: (reader, out, count) => output.read(makeContext(reader, out, options), { reasoning, calls, promptEnd, count }),
    };
}
function makeContext(reader, out, { tools }) {
    return { reader, out, tools: new Map(tools.map((tool) => [tool.function.name, tool])) };
}
//# sourceMappingURL=output-format.js.map