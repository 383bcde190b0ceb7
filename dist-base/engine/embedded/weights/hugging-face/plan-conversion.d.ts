import { type ModelTemplate, type TemplateTensor } from "../model-template.js";
import type { CheckpointConfig } from "./checkpoint-config.js";
import type { CheckpointFiles, CheckpointTensor } from "./checkpoint-files.js";
import { type FloatType } from "./float-types.js";
/** A tensor of the GGUF file to be written, and what it is made of. */
export interface PlannedTensor {
    readonly tensor: TemplateTensor;
    readonly source: PlannedSource;
}
export type PlannedSource = {
    readonly from: "template";
    readonly bytes: Uint8Array;
} | {
    readonly from: "checkpoint";
    readonly found: CheckpointTensor;
    readonly dtype: FloatType;
    /** Number of attention heads whose rows have another order in GGUF; undefined if the order is the same. */
    readonly heads: number | undefined;
};
/**
 * Finds the source of every tensor of the model in use, and checks names, shapes and types. Reads no weights.
 *
 * @throws EngineError that names the tensor
 */
export declare function planConversion(folder: string, files: Pick<CheckpointFiles, "tensors">, config: CheckpointConfig, template: ModelTemplate): PlannedTensor[];
