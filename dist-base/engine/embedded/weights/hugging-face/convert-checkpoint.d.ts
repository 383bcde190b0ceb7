import type { ModelTemplate } from "../model-template.js";
/** A GGUF file that is deleted when it is disposed of. */
export interface TemporaryGguf extends AsyncDisposable {
    readonly path: string;
}
/**
 * Converts a Hugging Face folder to a GGUF file in the folder for temporary files, with the metadata and the vocabulary of
 * the model in use.
 *
 * @throws EngineError if the folder has another model, or a file is missing or damaged
 */
export declare function convertCheckpoint(folder: string, template: ModelTemplate): Promise<TemporaryGguf>;
