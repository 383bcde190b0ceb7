import type { GgufFileInfo } from "node-llama-cpp";
import { type ModelTemplate } from "./model-template.js";
/** The matrix that a model with tied embeddings lacks. */
export declare const OUTPUT_TENSOR = "output.weight";
/**
 * Checks that a GGUF file contains the same model as the one in use, up to its weights and the types of its tensors.
 *
 * @throws EngineError
 */
export declare function checkGguf(path: string, info: GgufFileInfo, template: ModelTemplate): void;
/** Says that a tensor's shape is not the expected one. */
export declare function describeShape(name: string, shape: readonly number[], expected: readonly number[]): string;
