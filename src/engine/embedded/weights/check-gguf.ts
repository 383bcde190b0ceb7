import type { GgufFileInfo } from "node-llama-cpp";
import { EngineError } from "../../engine.js";
import { digest, type ModelTemplate, type TemplateTensor, toTensor } from "./model-template.js";

/** The matrix that a model with tied embeddings lacks. */
export const OUTPUT_TENSOR = "output.weight";

/**
 * Checks that a GGUF file contains the same model as the one in use, up to its weights and the types of its tensors.
 *
 * @throws EngineError
 */
export function checkGguf(path: string, info: GgufFileInfo, template: ModelTemplate): void {
  const { metadata } = info;
  const { architecture } = metadata.general;
  const refuse = (problem: string) => {
    throw new EngineError("engine_error", `${path}: ${problem}`);
  };
  if (architecture !== template.architecture) {
    refuse(`the architecture is ${architecture}, but the engine runs ${template.architecture}.`);
  }
  if (digest(metadata.tokenizer.ggml.tokens) !== template.vocabulary) {
    refuse("the vocabulary differs from that of the model in use.");
  }
  const contextLength = info.architectureMetadata.context_length;
  if (template.contextLength !== undefined && contextLength !== template.contextLength) {
    refuse(`the context length is ${contextLength}, but the model in use has ${template.contextLength}.`);
  }
  const found = (info.fullTensorInfo ?? info.tensorInfo ?? []).map(toTensor);
  const problem = findDifference(found, template.tensors);
  if (problem) refuse(problem);
}

function findDifference(
  found: readonly TemplateTensor[],
  expected: ReadonlyMap<string, TemplateTensor>,
): string | undefined {
  const names = new Set(found.map(({ name }) => name));
  for (const { name, shape } of found) {
    const other = expected.get(name);
    if (!other && name !== OUTPUT_TENSOR) return `the model in use has no tensor ${name}.`;
    if (other && String(other.shape) !== String(shape)) return describeWrongShape(name, shape, other.shape);
  }
  const missing = [...expected.keys()].find((name) => !names.has(name) && name !== OUTPUT_TENSOR);
  return missing && `tensor ${missing} is missing.`;
}

/** Says that a tensor's shape is not the expected one. */
export function describeWrongShape(name: string, shape: readonly number[], expected: readonly number[]): string {
  return `tensor ${name} has the shape [${shape.join(", ")}], but the model in use has [${expected.join(", ")}].`;
}
