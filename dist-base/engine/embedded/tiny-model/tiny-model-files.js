import { END_OF_TURN_ID, END_OF_TURN_TOKEN, FIRST_SPECIAL_ID, PAD_ID, PAD_TOKEN, SPECIAL_TOKENS, TINY, } from "./architecture.js";
import { trainBytePairs } from "./bpe.js";
import { encodeCheckpoint } from "./checkpoint.js";
import { CORPUS } from "./corpus.js";
import { encodeGguf } from "./gguf.js";
import { CHAT_TEMPLATE } from "./tiny-chat-template.js";
import { tokenizerJson } from "./tokenizer-json.js";
import { randomWeights } from "./weights.js";
export const GGUF_FILE = "model.gguf";
const SAFETENSORS_FILE = "model.safetensors";
/**
 * Returns every file of the tiny model by name: a GGUF for llama.cpp, and a Hugging Face folder with the same weights.
 *
 * @param seed of the weights
 */
export function tinyModelFiles(seed) {
    const encoding = trainBytePairs(CORPUS, FIRST_SPECIAL_ID);
    const weights = randomWeights(encoding.tokens, seed);
    const json = (value) => Buffer.from(`${JSON.stringify(value, undefined, 1)}\n`, "utf8");
    return new Map([
        [GGUF_FILE, encodeGguf(ggufMetadata(encoding), weights)],
        [SAFETENSORS_FILE, encodeCheckpoint(weights)],
        ["tokenizer.json", json(tokenizerJson(encoding))],
        ["tokenizer_config.json", json(tokenizerConfig())],
        ["generation_config.json", json({ eos_token_id: [END_OF_TURN_ID, PAD_ID], pad_token_id: PAD_ID })],
        ["config.json", json(modelConfig())],
    ]);
}
function tokenizerConfig() {
    return {
        tokenizer_class: "PreTrainedTokenizerFast",
        bos_token: null,
        eos_token: END_OF_TURN_TOKEN,
        pad_token: PAD_TOKEN,
        add_bos_token: false,
        model_max_length: TINY.contextLength,
        clean_up_tokenization_spaces: false,
        chat_template: CHAT_TEMPLATE,
    };
}
function modelConfig() {
    return {
        architectures: ["LlamaForCausalLM"],
        model_type: "llama",
        torch_dtype: "float32",
        hidden_act: "silu",
        attention_bias: false,
        mlp_bias: false,
        vocab_size: TINY.vocabSize,
        hidden_size: TINY.width,
        intermediate_size: TINY.feedForward,
        num_hidden_layers: TINY.layers,
        num_attention_heads: TINY.heads,
        num_key_value_heads: TINY.kvHeads,
        head_dim: TINY.headWidth,
        max_position_embeddings: TINY.contextLength,
        rms_norm_eps: TINY.normEpsilon,
        rope_theta: TINY.ropeBase,
        tie_word_embeddings: false,
        bos_token_id: null,
        eos_token_id: END_OF_TURN_ID,
        pad_token_id: PAD_ID,
    };
}
/** Returns the metadata of the GGUF file. */
export function ggufMetadata({ tokens, merges }) {
    const u32 = (value) => ({ type: "u32", value });
    const f32 = (value) => ({ type: "f32", value });
    const string = (value) => ({ type: "string", value });
    // llama.cpp's token types: 1 is ordinary text, 3 is a control token.
    const tokenTypes = [...tokens.map(() => 1), ...SPECIAL_TOKENS.map(() => 3)];
    return new Map([
        ["general.architecture", string("llama")],
        ["general.name", string(TINY.name)],
        ["llama.vocab_size", u32(TINY.vocabSize)],
        ["llama.context_length", u32(TINY.contextLength)],
        ["llama.embedding_length", u32(TINY.width)],
        ["llama.block_count", u32(TINY.layers)],
        ["llama.feed_forward_length", u32(TINY.feedForward)],
        ["llama.attention.head_count", u32(TINY.heads)],
        ["llama.attention.head_count_kv", u32(TINY.kvHeads)],
        ["llama.attention.layer_norm_rms_epsilon", f32(TINY.normEpsilon)],
        ["llama.rope.dimension_count", u32(TINY.headWidth)],
        ["llama.rope.freq_base", f32(TINY.ropeBase)],
        ["tokenizer.ggml.model", string("gpt2")],
        ["tokenizer.ggml.pre", string("qwen2")],
        ["tokenizer.ggml.tokens", { type: "strings", value: [...tokens, ...SPECIAL_TOKENS] }],
        ["tokenizer.ggml.token_type", { type: "i32s", value: tokenTypes }],
        ["tokenizer.ggml.merges", { type: "strings", value: merges.map((pair) => pair.join(" ")) }],
        ["tokenizer.ggml.eos_token_id", u32(END_OF_TURN_ID)],
        ["tokenizer.ggml.padding_token_id", u32(PAD_ID)],
        ["tokenizer.ggml.add_bos_token", { type: "bool", value: false }],
        ["tokenizer.chat_template", string(CHAT_TEMPLATE)],
    ]);
}
//# sourceMappingURL=tiny-model-files.js.map