/** The markers that most models use. */
export const THINK = { begin: "<think>", end: "</think>" };
/** Returns true if the reasoning has begun before the first token of the output. */
export function isOpenAt(promptEnd, { begin, end, label = "", isForced = false }) {
    const before = promptEnd.trimEnd();
    return before.endsWith(begin) || before.endsWith((begin + label).trimEnd()) || (isForced && !before.endsWith(end));
}
/**
 * Reads the reasoning at the start of an output. Without an end marker, the whole output is reasoning: it was cut off.
 */
export function* readReasoning(context) {
    const { reader, out, count, block, isOpen, callMarkers } = context;
    const { begin, end, label } = block;
    reader.startRecording();
    yield* reader.skipSpace();
    const hasBegun = yield* reader.accept(begin);
    const isEnded = !hasBegun && !isOpen && block.mayOnlyEnd === true && (yield* reader.at(end));
    const written = reader.endRecording();
    if (!hasBegun && !isOpen && !isEnded) {
        count.end(0);
        out.text(written);
        return;
    }
    count.begin("reasoning", 0);
    if (hasBegun)
        out.markBoundary();
    else
        out.reasoning(written);
    if (label !== undefined)
        yield* reader.accept(label);
    let marker = yield* reader.until(reader.markers([end, ...callMarkers]), out.reasoning);
    const mayBeDraft = marker !== undefined && marker !== end && block.endsAtCalls === "unclosed";
    if (mayBeDraft && ((yield* reader.isAhead(end)) || reader.isCut))
        marker = yield* reader.until(reader.markers([end]), out.reasoning);
    if (marker === end)
        reader.skip(end);
    if (marker === undefined)
        return;
    count.end(reader.position);
    out.markBoundary();
}
/** Takes the marker before the answer, if it comes next, and leaves out the marker at the end of the output. */
export function* openAnswer({ reader, out }, { begin, end }) {
    reader.closeWith(end, () => out.markBoundary());
    reader.startRecording();
    yield* reader.skipSpace();
    const hasBegun = yield* reader.accept(begin);
    const written = reader.endRecording();
    if (hasBegun)
        out.markBoundary();
    else
        out.text(written);
}
//# sourceMappingURL=reasoning-block.js.map