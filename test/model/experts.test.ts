import { expect, test } from "vitest";
import { readExperts } from "../../src/model/experts.js";

const common = { num_hidden_layers: 6, num_experts_per_tok: 2, eos_token_id: undefined };

test.each([
  ["Mixtral", { num_local_experts: 8 }, [0, 1, 2, 3, 4, 5]],
  ["Qwen3-MoE", { num_experts: 8, decoder_sparse_step: 2, mlp_only_layers: [3] }, [1, 5]],
  ["DeepSeek-V3", { n_routed_experts: 8, first_k_dense_replace: 3, moe_layer_freq: 1 }, [3, 4, 5]],
  ["Llama 4", { num_local_experts: 8, moe_layers: [1, 3, 5] }, [1, 3, 5]],
  [
    "a file of transformers 5",
    { num_experts: 8, mlp_layer_types: ["dense", "sparse", "dense", "sparse", "dense", "dense"] },
    [1, 3],
  ],
])("the layers with experts of %s", (_, fields, moeLayers) => {
  expect(readExperts({ ...common, ...fields })).toEqual({ layers: 6, topK: 2, experts: 8, moeLayers });
});

test("a model without experts has none", () => {
  expect(readExperts({ ...common, num_experts: 0 })).toBeUndefined();
  expect(readExperts({ eos_token_id: undefined, num_experts: 8 })).toBeUndefined();
});
