import { type ModelTemplate } from "../model-template.js";
export interface CheckpointConfig {
    /** GGUF has the rows of q and k in another order. */
    readonly interleaved: boolean;
    readonly heads: number;
    readonly keyValueHeads: number;
    /** The embedding is also the output matrix; undefined if the file does not say it. */
    readonly tied: boolean | undefined;
}
/**
 * Reads `config.json` and checks that it describes the model in use.
 *
 * @throws EngineError
 */
export declare function readCheckpointConfig(folder: string, template: ModelTemplate): Promise<CheckpointConfig>;
