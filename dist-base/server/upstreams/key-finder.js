/** Base64 encodes three bytes at a time, so the encoding of a key depends on the number of bytes before it. */
const BASE64_OFFSETS = [0, 1, 2];
/**
 * Returns a function that finds keys in the headers and the query of a request: as they are, percent-encoded up to twice, as hexadecimal digits, or in
 * the base64 of a text that contains them, such as `user:KEY`.
 */
export function findKeys(keys) {
    const digits = keys.map((key) => Buffer.from(key).toString("hex"));
    const base64 = keys.flatMap((key) => BASE64_OFFSETS.map((offset) => encodeInner(key, offset)));
    return (text) => {
        // A query can contain an encoded URL that has a query itself.
        const decoded = decodePercent(decodePercent(text));
        return (keys.some((key) => text.includes(key) || decoded.includes(key)) ||
            contains(decoded.toLowerCase(), digits) ||
            contains(decoded.replaceAll("-", "+").replaceAll("_", "/"), base64));
    };
}
const contains = (text, parts) => parts.some((part) => text.includes(part));
/**
 * Returns a part of the base64 of every text that has the key after `offset` bytes, or three or six more. The characters at both ends
 * also depend on the text around the key, so they are left out.
 */
function encodeInner(key, offset) {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor((bytes.length * 8) / 6);
    return bytes.toString("base64").slice(start, end);
}
/** Decodes the percent-encoded bytes that are valid UTF-8. All other text stays as it is. */
function decodePercent(text) {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
        try {
            return decodeURIComponent(encoded);
        }
        catch {
            return encoded;
        }
    });
}
//# sourceMappingURL=key-finder.js.map