/**
 * Cuts a text into parts of about `size` characters. Each cut is between an ASCII letter and a space that another ASCII
 * letter follows; a part is longer if there is no such place.
 *
 * With a splitter whose words end before spaces, the ids of the parts together are the ids of the text: BPE does not
 * merge across words, and normalization changes neither side of the cut. A single space between letters belongs to no
 * longer run of white space, which the splitter would keep together.
 */
export function cutAtSpaces(text, size) {
    const parts = [];
    let start = 0;
    for (let at = nextCut(text, size); at > 0; at = nextCut(text, start + size)) {
        parts.push(text.slice(start, at));
        start = at;
    }
    parts.push(text.slice(start));
    return parts;
}
/** Returns the first place for a cut from this position on; -1 if there is none. */
function nextCut(text, from) {
    let at = text.indexOf(" ", Math.max(1, from));
    while (at > 0 && !(isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1)))) {
        at = text.indexOf(" ", at + 1);
    }
    return at;
}
const isLetter = (code) => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
//# sourceMappingURL=cut-at-spaces.js.map