import { open } from "node:fs/promises";
import { SafetensorsError } from "./errors.js";
import { LENGTH_BYTES, readHeader, readHeaderLength } from "./read-header.js";
const CHUNK_BYTES = 1 << 22;
/** A safetensors file that is read piece by piece, because it may be larger than memory. */
export class TensorFile {
    header;
    byteLength;
    #file;
    constructor(file, header, byteLength) {
        this.#file = file;
        this.header = header;
        this.byteLength = byteLength;
    }
    /** @throws SafetensorsError, or an error of the file system */
    static async open(path) {
        const file = await open(path);
        try {
            const { size } = await file.stat();
            const start = await readBytes(file, 0, LENGTH_BYTES);
            const header = await readBytes(file, 0, Math.min(size, LENGTH_BYTES + readHeaderLength(start)));
            return new TensorFile(file, readHeader(header, size), size);
        }
        catch (error) {
            await file.close();
            throw error;
        }
    }
    /** Yields the numbers of an I32, F32 or BOOL tensor in pieces. Yields nothing if the file has no such tensor. */
    async *numbers(name) {
        const tensor = this.#tensor(name);
        if (!tensor)
            return;
        for (let at = tensor.start; at < tensor.end; at += CHUNK_BYTES) {
            yield this.#read(tensor, at, Math.min(CHUNK_BYTES, tensor.end - at));
        }
    }
    /**
     * Returns all numbers of a one-dimensional tensor with `count` elements; undefined if the file has no such tensor.
     */
    async values(name, count) {
        const tensor = this.#tensor(name);
        if (tensor?.shape.length !== 1 || tensor.shape[0] !== count)
            return undefined;
        return this.#read(tensor, tensor.start, tensor.end - tensor.start);
    }
    /**
     * Returns some bytes of a tensor of this file.
     *
     * @param offset from the tensor's first byte
     * @throws SafetensorsError if the file has become shorter
     */
    async bytes({ name, start }, offset, length) {
        const bytes = await readBytes(this.#file, start + offset, length);
        if (bytes.length < length)
            throw new SafetensorsError(`it ends within ${name}`);
        return bytes;
    }
    async [Symbol.asyncDispose]() {
        await this.#file.close();
    }
    #tensor(name) {
        return this.header.tensors.find((each) => each.name === name && READABLE.has(each.dtype));
    }
    async #read({ dtype }, position, length) {
        const { buffer } = await readBytes(this.#file, position, length);
        if (dtype === "I32")
            return new Int32Array(buffer);
        return dtype === "F32" ? new Float32Array(buffer) : new Uint8Array(buffer);
    }
}
const READABLE = new Set(["I32", "F32", "BOOL"]);
/** Reads `length` bytes into new memory. Returns fewer at the end of the file. */
async function readBytes(file, position, length) {
    const bytes = new Uint8Array(length);
    let read = 0;
    while (read < length) {
        const { bytesRead } = await file.read(bytes, read, length - read, position + read);
        if (bytesRead === 0)
            return bytes.slice(0, read);
        read += bytesRead;
    }
    return bytes;
}
//# sourceMappingURL=tensor-file.js.map