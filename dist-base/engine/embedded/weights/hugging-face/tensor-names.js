/** Parts of a layer: GGUF's name, then Hugging Face's. The same for llama, qwen2 and qwen3. */
const LAYER_PARTS = [
    ["attn_norm", "input_layernorm"],
    ["attn_q", "self_attn.q_proj"],
    ["attn_k", "self_attn.k_proj"],
    ["attn_v", "self_attn.v_proj"],
    ["attn_output", "self_attn.o_proj"],
    ["attn_q_norm", "self_attn.q_norm"],
    ["attn_k_norm", "self_attn.k_norm"],
    ["ffn_norm", "post_attention_layernorm"],
    ["ffn_gate", "mlp.gate_proj"],
    ["ffn_up", "mlp.up_proj"],
    ["ffn_down", "mlp.down_proj"],
];
const LAYER_NAMES = new Map(LAYER_PARTS);
const OTHER_NAMES = new Map([
    ["token_embd", "model.embed_tokens"],
    ["output_norm", "model.norm"],
    ["output", "lm_head"],
]);
/** Returns the name that a tensor of a GGUF file has in Hugging Face's files; undefined if it is not known. */
export function toHuggingFaceName(name) {
    const { layer, part = "", kind, } = /^(?:blk\.(?<layer>\d+)\.)?(?<part>\w+)\.(?<kind>weight|bias)$/.exec(name)?.groups ?? {};
    const found = layer === undefined ? OTHER_NAMES.get(part) : LAYER_NAMES.get(part);
    if (found === undefined)
        return undefined;
    return `${layer === undefined ? "" : `model.layers.${layer}.`}${found}.${kind}`;
}
//# sourceMappingURL=tensor-names.js.map