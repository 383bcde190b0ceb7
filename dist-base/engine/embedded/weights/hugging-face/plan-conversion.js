import { EngineError } from "../../../engine.js";
import { describeShape, OUTPUT_TENSOR } from "../check-gguf.js";
import { GGML_TYPE, ROTARY_FACTORS } from "../model-template.js";
import { isFloatType } from "./float-types.js";
import { toHuggingFaceName } from "./tensor-names.js";
/** Tensors that old checkpoints have although they can be computed. */
const COMPUTED = /\.rotary_emb\.inv_freq$/;
const OUTPUT_MATRIX = "lm_head.weight";
/**
 * Finds the source of every tensor of the model in use, and checks names, shapes and types. Reads no weights.
 *
 * @throws EngineError that names the tensor
 */
export function planConversion(folder, files, config, template) {
    const refuse = (problem) => new EngineError("engine_error", `${folder}: ${problem}`);
    const rest = new Set([...files.tensors.keys()].filter((name) => !COMPUTED.test(name)));
    // A checkpoint with tied embeddings may have the matrix twice.
    const tied = config.tied ?? !rest.has(OUTPUT_MATRIX);
    if (tied)
        rest.delete(OUTPUT_MATRIX);
    const plan = listTensors(template, tied).map((expected) => {
        if (expected.name === ROTARY_FACTORS && template.rotaryFactors) {
            return { tensor: expected, source: { from: "template", bytes: template.rotaryFactors } };
        }
        const name = toHuggingFaceName(expected.name);
        if (name === undefined)
            throw refuse(`tensor ${expected.name} of the model in use has no counterpart in safetensors.`);
        const found = files.tensors.get(name);
        if (!found)
            throw refuse(`tensor ${name} is missing.`);
        rest.delete(name);
        const { dtype, shape } = found.entry;
        const expectedShape = expected.shape.toReversed();
        if (String(shape) !== String(expectedShape))
            throw refuse(describeShape(name, shape, expectedShape));
        if (!isFloatType(dtype))
            throw refuse(`tensor ${name} has the type ${dtype}; only F32, F16 and BF16 can be loaded.`);
        const heads = config.interleaved ? countHeads(expected.name, config) : undefined;
        return {
            tensor: { ...expected, type: chooseType(expected, dtype) },
            source: { from: "checkpoint", found, dtype, heads },
        };
    });
    const [unknown] = rest;
    if (unknown !== undefined)
        throw refuse(`the model in use has no tensor ${unknown}.`);
    return plan;
}
/** Returns the tensors of the model in use, with or without an output matrix of its own. */
function listTensors({ tensors }, tied) {
    const list = [...tensors.values()].filter(({ name }) => name !== OUTPUT_TENSOR);
    const output = tensors.get(OUTPUT_TENSOR);
    const embedding = tensors.get("token_embd.weight");
    if (tied || !embedding)
        return list;
    return [...list, output ?? { ...embedding, name: OUTPUT_TENSOR }];
}
/**
 * Never rounds. Tensors get 32 bits if the model in use has them so, and the checkpoint's type otherwise. llama.cpp reads
 * vectors only with 32 bits.
 */
function chooseType({ type, shape }, dtype) {
    return shape.length === 1 || type === GGML_TYPE.F32 ? GGML_TYPE.F32 : GGML_TYPE[dtype];
}
function countHeads(name, { heads, keyValueHeads }) {
    if (/\.attn_q\./.test(name))
        return heads;
    return /\.attn_k\./.test(name) ? keyValueHeads : undefined;
}
//# sourceMappingURL=plan-conversion.js.map