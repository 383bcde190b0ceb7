/** Returns a view of one tensor of a block. */
export function tensorView(bytes, { dtype, shape, byteOffset, byteLength }) {
    const start = bytes.byteOffset + byteOffset;
    switch (dtype) {
        case "I32":
            return { dtype, shape, data: new Int32Array(bytes.buffer, start, byteLength / 4) };
        case "F32":
            return { dtype, shape, data: new Float32Array(bytes.buffer, start, byteLength / 4) };
        case "BOOL":
            return { dtype, shape, data: new Uint8Array(bytes.buffer, start, byteLength) };
    }
}
//# sourceMappingURL=tensor.js.map