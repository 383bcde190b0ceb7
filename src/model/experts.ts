import type { LanguageModelConfig } from "./model-files.js";

/** The experts of a mixture-of-experts model, as its config.json names them. */
export interface ModelExperts {
  /** All layers of the model, also those without experts. */
  readonly layers: number;
  /** Number of experts of a layer that a token goes through. */
  readonly topK: number;
  /** Number of experts of a layer. */
  readonly experts: number;
  /** Indices of the layers that have experts. The others are dense: engines report expert 0 for them. */
  readonly moeLayers: readonly number[];
}

/** Returns undefined for a model without experts. */
export function readExperts(config: LanguageModelConfig): ModelExperts | undefined {
  // A field of another family may be 0.
  const counts = [config.num_experts, config.num_local_experts, config.n_routed_experts];
  const experts = counts.find((count) => (count ?? 0) > 0);
  const { num_hidden_layers: layers, num_experts_per_tok: topK } = config;
  if (!layers || !topK || !experts) return undefined;
  const moeLayers = Array.from({ length: layers }, (_, layer) => layer).filter((layer) => hasExperts(config, layer));
  return { layers, topK, experts, moeLayers };
}

/** Each family has its own fields for dense layers, which are absent from the others' files. */
function hasExperts(config: LanguageModelConfig, layer: number): boolean {
  // Files that transformers 5 writes.
  if (config.mlp_layer_types) return config.mlp_layer_types[layer] === "sparse";
  // Llama 4.
  if (config.moe_layers) return config.moe_layers.includes(layer);
  // Qwen.
  if (config.mlp_only_layers?.includes(layer)) return false;
  if ((layer + 1) % (config.decoder_sparse_step ?? 1) !== 0) return false;
  // DeepSeek, Kimi, GLM.
  return layer >= (config.first_k_dense_replace ?? 0) && layer % (config.moe_layer_freq ?? 1) === 0;
}
