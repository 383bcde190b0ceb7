import type { TensorEntry } from "../../../../support/safetensors/read-header.js";
import { TensorFile } from "../../../../support/safetensors/tensor-file.js";
export interface CheckpointTensor {
    readonly path: string;
    readonly file: TensorFile;
    readonly entry: TensorEntry;
}
/** The safetensors files of a Hugging Face folder, one or several. Like transformers, prefers `model.safetensors` to an index. */
export declare class CheckpointFiles implements AsyncDisposable {
    #private;
    readonly tensors: Map<string, CheckpointTensor>;
    private constructor();
    /** @throws EngineError that names the file */
    static open(folder: string): Promise<CheckpointFiles>;
    [Symbol.asyncDispose](): Promise<void>;
}
