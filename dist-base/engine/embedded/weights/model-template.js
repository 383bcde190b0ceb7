import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { EngineError } from "../../engine.js";
/** Types of tensors in ggml: https://github.com/ggml-org/ggml/blob/master/include/ggml.h */
export const GGML_TYPE = { F32: 0, F16: 1, BF16: 30 };
/** Factors of Llama 3's rotary embedding. Only GGUF files have them as a tensor. */
export const ROTARY_FACTORS = "rope_freqs.weight";
/** Size of magic, version and the counts of tensors and pairs: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
export const GGUF_HEADER_BYTES = 24;
const DEFAULT_ALIGNMENT = 32;
/** @param path the file that `info` describes */
export async function readModelTemplate(info, path) {
    const { architecture, alignment } = info.metadata.general;
    const tensors = new Map((info.fullTensorInfo ?? info.tensorInfo ?? []).map((each) => [each.name, toTensor(each)]));
    const file = await open(path);
    try {
        const header = Buffer.alloc(info.metadataSize);
        await readFully(file, header, 0, path);
        const factors = info.tensorInfo?.find(({ name }) => name === ROTARY_FACTORS);
        const rotaryFactors = factors && Buffer.alloc(4 * Number(factors.dimensions[0]));
        if (rotaryFactors)
            await readFully(file, rotaryFactors, Number(factors.fileOffset), path);
        const lookUp = (key) => lookUpKey(info.metadata, [architecture, ...key.split(".")]);
        return {
            architecture,
            contextLength: asNumber(lookUp("context_length")),
            vocabulary: digest(info.metadata.tokenizer.ggml.tokens),
            tensors,
            metadata: {
                version: header.readUInt32LE(4),
                pairs: header.readBigUInt64LE(16),
                bytes: header.subarray(GGUF_HEADER_BYTES),
                alignment: alignment ?? DEFAULT_ALIGNMENT,
                split: info.splicedParts > 1,
            },
            rotaryFactors,
            number: (key) => asNumber(lookUp(key)),
            text: (key) => asText(lookUp(key)),
        };
    }
    finally {
        await file.close();
    }
}
/** Returns the digest of a vocabulary, for {@link ModelTemplate.vocabulary}. */
export function digest(tokens) {
    const hash = createHash("sha256");
    for (const token of tokens)
        hash.update(`${Buffer.byteLength(token)} ${token}`);
    return hash.digest("hex");
}
export function toTensor({ name, dimensions, ggmlType }) {
    return { name, shape: dimensions.map(Number), type: ggmlType };
}
async function readFully(file, bytes, position, path) {
    for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, position + at);
        if (bytesRead === 0)
            throw new EngineError("engine_error", `${path} ended while it was read.`);
        at += bytesRead;
    }
}
function lookUpKey(metadata, path) {
    return path.reduce((value, key) => Object(value)[key], metadata);
}
function asNumber(value) {
    return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
function asText(value) {
    return typeof value === "string" ? value : undefined;
}
//# sourceMappingURL=model-template.js.map