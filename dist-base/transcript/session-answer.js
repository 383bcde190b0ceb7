import { sessionHead } from "./schema.js";
/** A quote inside a text is written as `\\"`, so no text of the head has these characters. */
const SEPARATOR = ',"interactions":';
const [LINE_FEED, OPEN_ARRAY, CLOSE_ARRAY, CLOSE_OBJECT] = [0x0a, 0x5b, 0x5d, 0x7d];
/**
 * Splits an answer into what an index needs and the interactions, whose JSON is that of a line. Parsing and writing them again would
 * cost more than the rest of a transcript.
 *
 * Throws if the answer has another form. The interactions are the last field.
 */
export function splitSessionAnswer(answer) {
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
    const at = bytes.indexOf(SEPARATOR);
    const from = at + SEPARATOR.length;
    const isWhole = at > 0 &&
        bytes[from] === OPEN_ARRAY &&
        bytes.at(-1) === CLOSE_OBJECT &&
        bytes.at(-2) === CLOSE_ARRAY &&
        !bytes.includes(LINE_FEED);
    if (!isWhole)
        throw new Error("its interactions must be the last field, on one line");
    const head = sessionHead.parse(JSON.parse(`${bytes.toString("utf8", 0, at)}}`));
    return { head, interactions: bytes.subarray(from, -1) };
}
//# sourceMappingURL=session-answer.js.map