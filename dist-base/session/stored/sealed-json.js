import { crc32 } from "node:zlib";
import { concatInSteps } from "../../support/async/concat-in-steps.js";
import { runAtOnce } from "../../support/async/steps.js";
const CHECKSUM_BYTES = 4;
/** Bytes whose checksum takes about a millisecond. */
const CHECKED_AT_ONCE = 1 << 20;
/** Returns a value as JSON, preceded by a checksum. */
export const sealJson = (value) => sealText(JSON.stringify(value));
/** Returns the value that {@link sealJson} sealed. Throws if the bytes are damaged. */
export const openJson = (sealed) => JSON.parse(openText(sealed));
/** Returns a text in UTF-8, preceded by its checksum (CRC-32, 4 bytes). */
export function sealText(text) {
    const sealed = Buffer.allocUnsafe(CHECKSUM_BYTES + Buffer.byteLength(text));
    sealed.write(text, CHECKSUM_BYTES);
    sealed.writeUInt32LE(crc32(sealed.subarray(CHECKSUM_BYTES)));
    return sealed;
}
/** Like {@link sealText} for the pieces of a long text, one in each step. */
export function* sealPieces(pieces) {
    const sealed = [Buffer.alloc(CHECKSUM_BYTES)];
    let checksum = 0;
    for (const piece of pieces) {
        const bytes = Buffer.from(piece);
        checksum = crc32(bytes, checksum);
        sealed.push(bytes);
        yield;
    }
    sealed[0]?.writeUInt32LE(checksum);
    return yield* concatInSteps(sealed);
}
/** Returns the text that {@link sealText} sealed. Throws if the bytes are damaged. */
export function openText(sealed) {
    return runAtOnce(openBytes(sealed)).toString();
}
/** Returns the UTF-8 of the text that {@link sealText} sealed, as a view. Throws if the bytes are damaged. */
export function* openBytes(sealed) {
    const bytes = sealed.subarray(CHECKSUM_BYTES);
    let checksum = 0;
    for (let from = 0; from < bytes.length; from += CHECKED_AT_ONCE) {
        if (from > 0)
            yield;
        checksum = crc32(bytes.subarray(from, from + CHECKED_AT_ONCE), checksum);
    }
    if (sealed.length < CHECKSUM_BYTES || sealed.readUInt32LE() !== checksum)
        throw new Error("its checksum is wrong");
    return bytes;
}
//# sourceMappingURL=sealed-json.js.map