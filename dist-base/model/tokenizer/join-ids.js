import { totalLength } from "./total-length.js";
/** Returns the ids of all pieces in a new array. */
export function joinIds(pieces) {
    const ids = new Int32Array(totalLength(pieces));
    let at = 0;
    for (const piece of pieces) {
        ids.set(piece, at);
        at += piece.length;
    }
    return ids;
}
//# sourceMappingURL=join-ids.js.map