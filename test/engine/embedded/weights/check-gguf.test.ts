import type { GgufFileInfo } from "node-llama-cpp";
import { expect, it } from "vitest";
import { checkGguf } from "../../../../src/engine/embedded/weights/check-gguf.js";
import { digest, type ModelTemplate, toTensor } from "../../../../src/engine/embedded/weights/model-template.js";

const TOKENS = ["a", "b", "ab"];

interface Gguf {
  readonly architecture?: string;
  readonly tokens?: readonly string[];
  readonly contextLength?: number;
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

const SHAPES = { "token_embd.weight": [4, 3], "blk.0.attn_q.weight": [4, 8] };
const OUTPUT = { "output.weight": [4, 3] };

const listTensors = (shapes: NonNullable<Gguf["shapes"]>) =>
  Object.entries(shapes).map(([name, dimensions]) => ({ name, dimensions, ggmlType: 0 }));

function makeInfo({
  architecture = "llama",
  tokens = TOKENS,
  contextLength = 64,
  shapes = SHAPES,
}: Gguf): GgufFileInfo {
  return {
    metadata: { general: { architecture }, tokenizer: { ggml: { tokens } } },
    architectureMetadata: { context_length: contextLength },
    tensorInfo: listTensors(shapes),
  } as unknown as GgufFileInfo;
}

function makeTemplate(shapes: NonNullable<Gguf["shapes"]>, contextLength: number | undefined = 64): ModelTemplate {
  const tensors = listTensors(shapes).map((each) => toTensor(each as never));
  return {
    architecture: "llama",
    contextLength,
    vocabulary: digest(TOKENS),
    tensors: new Map(tensors.map((each) => [each.name, each])),
  } as unknown as ModelTemplate;
}

function check(gguf: Gguf, template = makeTemplate({ ...SHAPES, ...OUTPUT })): string {
  try {
    checkGguf("/w.gguf", makeInfo(gguf), template);
    return "fits";
  } catch (error) {
    return (error as Error).message;
  }
}

it.each<[string, Gguf, string]>([
  ["the same tensors", { shapes: { ...SHAPES, ...OUTPUT } }, "fits"],
  ["tied embeddings", {}, "fits"],
  ["another architecture", { architecture: "qwen2" }, "/w.gguf: the architecture is qwen2, but the engine runs llama."],
  ["another token", { tokens: ["a", "b", "ac"] }, "/w.gguf: the vocabulary differs from that of the model in use."],
  [
    "tokens that begin elsewhere",
    { tokens: ["ab", "a", "b"] },
    "/w.gguf: the vocabulary differs from that of the model in use.",
  ],
  ["another context length", { contextLength: 32 }, "/w.gguf: the context length is 32, but the model in use has 64."],
  [
    "a tensor too many",
    { shapes: { ...SHAPES, "blk.1.attn_q.weight": [4, 8] } },
    "/w.gguf: the model in use has no tensor blk.1.attn_q.weight.",
  ],
  [
    "a tensor too few",
    { shapes: { "token_embd.weight": [4, 3], ...OUTPUT } },
    "/w.gguf: tensor blk.0.attn_q.weight is missing.",
  ],
  [
    "another shape",
    { shapes: { ...SHAPES, "blk.0.attn_q.weight": [8, 4] } },
    "/w.gguf: tensor blk.0.attn_q.weight has the shape [8, 4], but the model in use has [4, 8].",
  ],
  [
    "another shape of the output matrix",
    { shapes: { ...SHAPES, "output.weight": [3, 4] } },
    "/w.gguf: tensor output.weight has the shape [3, 4], but the model in use has [4, 3].",
  ],
])("a GGUF file with %s", (_, gguf, result) => {
  expect(check(gguf)).toBe(result);
});

it("may have an output matrix of its own if the model in use has tied embeddings, or another context length if that is not known", () => {
  expect(check({ shapes: { ...SHAPES, ...OUTPUT } }, makeTemplate(SHAPES))).toBe("fits");
  const unknown = { ...makeTemplate(SHAPES), contextLength: undefined };
  expect(check({ contextLength: 32 }, unknown)).toBe("fits");
});

it("is compared by all of its files", () => {
  const info = { ...makeInfo({ shapes: {} }), fullTensorInfo: listTensors(SHAPES) } as unknown as GgufFileInfo;
  expect(() => checkGguf("/w.gguf", info, makeTemplate(SHAPES))).not.toThrow();
  const none = { ...makeInfo({}), tensorInfo: undefined } as unknown as GgufFileInfo;
  expect(() => checkGguf("/w.gguf", none, makeTemplate(SHAPES))).toThrow("tensor token_embd.weight is missing.");
});
