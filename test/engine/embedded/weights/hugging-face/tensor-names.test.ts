import { expect, it } from "vitest";
import { toHuggingFaceName } from "../../../../../src/engine/embedded/weights/hugging-face/tensor-names.js";

it.each([
  ["token_embd.weight", "model.embed_tokens.weight"],
  ["output_norm.weight", "model.norm.weight"],
  ["output.weight", "lm_head.weight"],
  ["blk.0.attn_norm.weight", "model.layers.0.input_layernorm.weight"],
  ["blk.0.attn_q.weight", "model.layers.0.self_attn.q_proj.weight"],
  ["blk.0.attn_q.bias", "model.layers.0.self_attn.q_proj.bias"],
  ["blk.11.attn_k.weight", "model.layers.11.self_attn.k_proj.weight"],
  ["blk.0.attn_v.weight", "model.layers.0.self_attn.v_proj.weight"],
  ["blk.0.attn_output.weight", "model.layers.0.self_attn.o_proj.weight"],
  ["blk.0.attn_q_norm.weight", "model.layers.0.self_attn.q_norm.weight"],
  ["blk.0.attn_k_norm.weight", "model.layers.0.self_attn.k_norm.weight"],
  ["blk.0.ffn_norm.weight", "model.layers.0.post_attention_layernorm.weight"],
  ["blk.0.ffn_gate.weight", "model.layers.0.mlp.gate_proj.weight"],
  ["blk.0.ffn_up.weight", "model.layers.0.mlp.up_proj.weight"],
  ["blk.0.ffn_down.weight", "model.layers.0.mlp.down_proj.weight"],
  ["blk.0.ffn_gate_exps.weight", undefined],
  ["blk.0.output.weight", undefined],
  ["attn_q.weight", undefined],
  ["output.scale", undefined],
  ["rope_freqs.weight", undefined],
])("the tensor %s is %s in Hugging Face's files", (gguf, name) => {
  expect(toHuggingFaceName(gguf)).toBe(name);
});
