import { crc32 } from "node:zlib";
import { parseSpelled, stringifySpelled } from "../../support/json/spelled.js";
import { NOTHING_RESPELLED } from "../interaction.js";
/** Lengths of the two JSON parts, and their checksum: CRC-32, 4 bytes each. */
const HEADER_BYTES = 12;
const SAME_AS_PARENT = true;
/** Returns the bytes of an interaction: lengths of two JSON parts (4, 4), their checksum (4), fields, messages, tokens. */
export function encodeInteraction(stored) {
    const { native, facts, objectBytes, templateArgs, request } = stored;
    const fields = {
        facts,
        objectBytes,
        ...(templateArgs === undefined ? {} : { templateArgs: encodeArgs(templateArgs) }),
        request,
    };
    const parts = [JSON.stringify(fields), JSON.stringify(toStored(stored.messages()))];
    const [fieldsLength, messagesLength] = [Buffer.byteLength(parts[0]), Buffer.byteLength(parts[1])];
    const end = HEADER_BYTES + fieldsLength + messagesLength;
    const bytes = Buffer.allocUnsafe(end + native.length);
    bytes.writeUInt32LE(fieldsLength, 0);
    bytes.writeUInt32LE(messagesLength, 4);
    bytes.write(parts[0], HEADER_BYTES);
    bytes.write(parts[1], HEADER_BYTES + fieldsLength);
    bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES, end)), 8);
    bytes.set(native, end);
    return bytes;
}
/**
 * Returns an interaction whose tokens are a view of `bytes`. Throws if the bytes are damaged. The tokens are checked when they are
 * restored.
 *
 * @param readMessages reads the messages when they are needed. Required if `bytes` can change before that
 */
export function decodeInteraction(bytes, readMessages = () => decodeMessages(bytes)) {
    const { fields, native } = splitRecord(bytes);
    const { facts, objectBytes, templateArgs, request } = JSON.parse(fields.toString());
    let messages;
    return {
        native,
        facts,
        messages: () => (messages ??= readMessages()),
        objectBytes,
        templateArgs: templateArgs === undefined ? undefined : decodeArgs(templateArgs),
        request,
    };
}
/** Returns the messages of an interaction. Throws if its bytes are damaged. */
export function decodeMessages(bytes) {
    return fromStored(JSON.parse(splitRecord(bytes).messages.toString()));
}
function splitRecord(bytes) {
    if (bytes.length < HEADER_BYTES)
        throw new Error("its header is truncated");
    const middle = HEADER_BYTES + bytes.readUInt32LE(0);
    const end = middle + bytes.readUInt32LE(4);
    if (end > bytes.length)
        throw new Error("its JSON is truncated");
    if (bytes.readUInt32LE(8) !== crc32(bytes.subarray(HEADER_BYTES, end)))
        throw new Error("its checksum is wrong");
    return {
        fields: bytes.subarray(HEADER_BYTES, middle),
        messages: bytes.subarray(middle, end),
        native: bytes.subarray(end),
    };
}
function toStored({ input, output }) {
    const { inherited, respelled, added } = input;
    return { inherited, ...(respelled.size > 0 ? { respelled: [...respelled] } : {}), added, output };
}
function fromStored({ inherited, respelled: stored, added, output }) {
    const respelled = stored ? new Map(stored) : NOTHING_RESPELLED;
    return { input: { inherited, respelled, added }, output };
}
function encodeArgs(args) {
    return args === "parent" ? SAME_AS_PARENT : stringifySpelled(args);
}
function decodeArgs(args) {
    return args === SAME_AS_PARENT ? "parent" : parseSpelled(args);
}
//# sourceMappingURL=interaction-record.js.map