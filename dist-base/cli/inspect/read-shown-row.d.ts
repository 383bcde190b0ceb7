import type { TensorFile } from "../../support/safetensors/tensor-file.js";
import type { ShownRow } from "./row-text.js";
/**
 * Reads one row with the text of its tokens.
 *
 * @param model folder of the model; undefined: the tokens have no text
 * @throws BatchRowError if the file has no such row
 */
export declare function readShownRow(file: TensorFile, row: number, model: string | undefined): Promise<ShownRow>;
