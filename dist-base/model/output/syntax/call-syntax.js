import { PendingCall } from "../message/pending-call.js";
export function newCall({ out }, newId) {
    return new PendingCall(out, newId);
}
/**
 * Ends a call after its text was read and recorded. A malformed call becomes text, together with all text up to the next
 * marker of `ends`.
 */
export function* finishCall({ reader, out }, call, isWhole, ends) {
    if (isWhole) {
        call.close();
        reader.endRecording();
        return;
    }
    out.writeMalformed(reader.endRecording());
    yield* reader.until(reader.markers(ends), out.text);
}
//# sourceMappingURL=call-syntax.js.map