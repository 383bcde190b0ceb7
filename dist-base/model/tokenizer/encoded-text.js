import { joinIds } from "./join-ids.js";
import { totalLength } from "./total-length.js";
/** Returns true if a text continues the known text, rather than only sharing its beginning: half of the cuts or more. */
export function continuesText({ known, cuts }) {
    return 2 * cuts >= known.cuts.length;
}
const EMPTY = { parts: [], characters: 0, idPieces: [], cuts: [] };
const NOTHING = { known: EMPTY, cuts: 0, parts: 0, characters: 0, tokens: 0 };
/**
 * Finds the known text with the longest common beginning, and the last cut in it.
 *
 * @param parts the text
 * @param reach number of characters after a cut that must be equal too, because they decide which added token begins there
 */
export function findCommonStart(parts, known, reach) {
    let best;
    for (const candidate of known) {
        let shared = 0;
        let end = -reach;
        for (; shared < parts.length && parts[shared] === candidate.parts[shared]; shared++) {
            end += parts[shared]?.length ?? 0;
        }
        const cuts = countCuts(candidate.cuts, end);
        const last = candidate.cuts[cuts - 1];
        if (!last || last.characters <= (best?.characters ?? 0))
            continue;
        best = { known: candidate, cuts, parts: shared, characters: last.characters, tokens: last.tokens };
    }
    return best;
}
/** Returns the number of cuts in the first `characters` characters. The last cuts are searched first. */
function countCuts(cuts, characters) {
    let count = cuts.length;
    while (count > 0 && (cuts[count - 1]?.characters ?? 0) > characters)
        count--;
    return count;
}
/** Returns a text without its first `characters` characters. */
export function sliceText(parts, characters) {
    let before = 0;
    let first = 0;
    for (; first < parts.length; first++) {
        const length = parts[first]?.length ?? 0;
        if (before + length > characters)
            break;
        before += length;
    }
    return parts
        .slice(first)
        .join("")
        .slice(characters - before);
}
/** Number of pieces that are joined in one step. This takes a few milliseconds. */
const PIECES_PER_STEP = 1 << 14;
/** If a text has more pieces of ids, they are joined to one. */
const MAX_ID_PIECES = 64;
/** Joins a known start and the encoded pieces after it to a whole text. */
export function* joinText(parts, start, { lengths, ids }) {
    const { known, cuts: shared, parts: sharedParts, characters, tokens } = start ?? NOTHING;
    const added = new Int32Array(totalLength(ids));
    const cuts = known.cuts.slice(0, shared);
    let cut = { characters, tokens };
    for (const [i, piece] of ids.entries()) {
        if (i % PIECES_PER_STEP === PIECES_PER_STEP - 1)
            yield;
        if (i > 0)
            cuts.push(cut);
        added.set(piece, cut.tokens - tokens);
        cut = { characters: cut.characters + (lengths[i] ?? 0), tokens: cut.tokens + piece.length };
    }
    // Takes shared parts from the known text, so they are in memory only once.
    const joinedParts = [...known.parts.slice(0, sharedParts), ...parts.slice(sharedParts)];
    const idPieces = [...takeIds(known.idPieces, tokens), added];
    const fewPieces = idPieces.length > MAX_ID_PIECES ? [joinIds(idPieces)] : idPieces;
    return { parts: joinedParts, characters: totalLength(parts), idPieces: fewPieces, cuts };
}
/** Returns the first `count` ids, without a copy except of the beginning of a piece that is mostly dropped. */
function takeIds(pieces, count) {
    const taken = [];
    let left = count;
    for (const piece of pieces) {
        if (left === 0)
            break;
        const length = Math.min(left, piece.length);
        // A view would keep the memory of the whole piece.
        taken.push(2 * length < piece.length ? piece.slice(0, length) : piece.subarray(0, length));
        left -= length;
    }
    return taken;
}
//# sourceMappingURL=encoded-text.js.map