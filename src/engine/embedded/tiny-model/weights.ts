import { END_OF_TURN_ID, FIRST_SPECIAL_ID, TINY } from "./architecture.js";

/** A tensor in ggml's order: `shape[0]` is the number of columns, the dimension that varies fastest. */
export interface GgmlTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const DEFAULT_SEED = 0x9e3779b9;

/**
 * Returns random weights that are the same on every machine. They are computed only with additions and multiplications
 * of doubles: the last bit of transcendental functions can differ between machines.
 *
 * Channel 0 of the residual stream is a constant that no layer writes. Through it, the output matrix gives every token a
 * fixed bias: control tokens and bytes that are not text are almost never sampled, and a turn ends after some dozens of
 * tokens. The model therefore writes well-formed but meaningless text.
 *
 * @param tokens ordinary tokens by id, spelled in the byte alphabet
 * @param seed other seeds give other models of the same shape; not 0
 */
export function randomWeights(tokens: readonly string[], seed = DEFAULT_SEED): GgmlTensor[] {
  const random = gaussian(seed);
  const matrix = (name: string, columns: number, rows: number, deviation: number): GgmlTensor => ({
    name,
    shape: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => random() * deviation),
  });
  const layers = Array.from({ length: TINY.layers }, (_, layer) => layerWeights(layer, matrix));
  return [
    withConstantChannel(matrix("token_embd.weight", TINY.width, TINY.vocabSize, 1)),
    ...layers.flat(),
    ones("output_norm.weight"),
    withTokenBias(matrix("output.weight", TINY.width, TINY.vocabSize, 0.22), tokens),
  ];
}

type MakeMatrix = (name: string, columns: number, rows: number, deviation: number) => GgmlTensor;

function layerWeights(layer: number, matrix: MakeMatrix): GgmlTensor[] {
  const kvWidth = TINY.headWidth * TINY.kvHeads;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("attn_norm")),
    matrix(name("attn_q"), TINY.width, TINY.width, 0.2),
    matrix(name("attn_k"), TINY.width, kvWidth, 0.2),
    matrix(name("attn_v"), TINY.width, kvWidth, 0.2),
    withoutFirstRow(matrix(name("attn_output"), TINY.width, TINY.width, 0.2)),
    ones(name("ffn_norm")),
    matrix(name("ffn_gate"), TINY.width, TINY.feedForward, 0.15),
    withoutFirstRow(matrix(name("ffn_down"), TINY.feedForward, TINY.width, 0.15)),
    matrix(name("ffn_up"), TINY.width, TINY.feedForward, 0.15),
  ];
}

function ones(name: string): GgmlTensor {
  return { name, shape: [TINY.width], data: new Float32Array(TINY.width).fill(1) };
}

const CONSTANT_CHANNEL = 8;
/** Approximate value of the constant after the last normalization. */
const NORMALIZED_CONSTANT = 3;

function withConstantChannel(embedding: GgmlTensor): GgmlTensor {
  for (let token = 0; token < TINY.vocabSize; token++) embedding.data[token * TINY.width] = CONSTANT_CHANNEL;
  return embedding;
}

function withoutFirstRow(matrix: GgmlTensor): GgmlTensor {
  matrix.data.fill(0, 0, matrix.shape[0]);
  return matrix;
}

function withTokenBias(output: GgmlTensor, tokens: readonly string[]): GgmlTensor {
  for (let id = 0; id < TINY.vocabSize; id++) {
    output.data[id * TINY.width] = tokenBias(id, tokens[id]) / NORMALIZED_CONSTANT;
  }
  return output;
}

/** Returns a token's bias in logits. In the byte alphabet, a space is U+0120 and a line feed is U+010A. */
function tokenBias(id: number, spelling: string | undefined): number {
  if (id === END_OF_TURN_ID) return 1.5;
  if (id >= FIRST_SPECIAL_ID) return -20;
  return spelling && /^[\x21-\x7e\u0120\u010a]+$/.test(spelling) ? 0 : -20;
}

/** Sums twelve uniform numbers (xorshift32) and subtracts six: roughly normal with mean 0 and variance 1. */
function gaussian(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}
