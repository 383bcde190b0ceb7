import { z } from "zod";
import { countElements, ELEMENT_BYTES } from "./dtype.js";
import { SafetensorsError } from "./errors.js";
/** Size of the number at the start of a file, which is the length of the header. */
export const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 2 ** 30;
const METADATA = "__metadata__";
const tensorSchema = z.object({
    dtype: z.string(),
    shape: z.array(z.int().min(0)),
    data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
const anyEntriesSchema = z.map(z.string(), z.unknown());
const metadataSchema = z.map(z.string(), z.string());
const entriesSchema = z.map(z.string(), tensorSchema);
/**
 * Returns the length of the header in bytes.
 *
 * @param start at least the first {@link LENGTH_BYTES} of a file
 * @throws SafetensorsError
 */
export function readHeaderLength(start) {
    if (start.byteLength < LENGTH_BYTES)
        throw new SafetensorsError(`it has fewer than ${LENGTH_BYTES} bytes`);
    const length = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true);
    if (length > MAX_HEADER_BYTES)
        throw new SafetensorsError(`its header would have ${length} bytes`);
    return Number(length);
}
/**
 * Reads the header of a file, without reading tensors.
 *
 * @param file a whole file, or its beginning with the complete header
 * @param byteLength size of the whole file
 * @throws SafetensorsError
 */
export function readHeader(file, byteLength = file.byteLength) {
    const dataStart = LENGTH_BYTES + readHeaderLength(file);
    if (dataStart > file.byteLength)
        throw new SafetensorsError("it ends within its header");
    const entries = check(anyEntriesSchema, toMap(parseJson(file.subarray(LENGTH_BYTES, dataStart))));
    const written = entries.get(METADATA);
    const metadata = check(metadataSchema, written === undefined ? new Map() : toMap(written));
    entries.delete(METADATA);
    const tensors = [...check(entriesSchema, entries)]
        .map(([name, { dtype, shape, data_offsets: [from, to], },]) => ({
        name,
        dtype,
        shape,
        start: dataStart + from,
        end: dataStart + to,
    }))
        .toSorted((a, b) => a.start - b.start);
    for (const tensor of tensors)
        checkExtent(tensor, byteLength);
    return { metadata: Object.fromEntries(metadata), tensors };
}
/** Returns the entries of an object as a map; any other value as it is. Zod's records lack the key `__proto__`. */
function toMap(value) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? new Map(Object.entries(value)) : value;
}
/** @throws SafetensorsError if the value does not match */
function check(schema, value) {
    const parsed = schema.safeParse(value);
    if (!parsed.success)
        throw new SafetensorsError(`its header is invalid: ${z.prettifyError(parsed.error)}`);
    return parsed.data;
}
function checkExtent({ name, dtype, shape, start, end }, byteLength) {
    if (end < start || end > byteLength)
        throw new SafetensorsError(`${name} lies outside of the file`);
    const size = ELEMENT_BYTES[dtype];
    if (size !== undefined && countElements(shape) * size !== end - start) {
        throw new SafetensorsError(`${name} is ${dtype} [${shape.join(", ")}] in ${end - start} bytes`);
    }
}
function parseJson({ buffer, byteOffset, byteLength }) {
    try {
        // This Buffer is a view, not a copy: a header with many rows has megabytes.
        return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=read-header.js.map