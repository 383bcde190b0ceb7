import type { TensorValues } from "../../support/safetensors/tensor-file.js";
import type { EpisodeLine } from "../../transcript/format.js";
import type { BatchTokens } from "../tokens/batch-tokens.js";
import { type TensorBytes } from "../tokens/tensor-ranges.js";
/** The columns of a batch that describe an episode's interactions. Columns that the file lacks are absent. */
export interface EpisodeTensors {
    readonly values: ReadonlyMap<string, TensorValues>;
    /** Texts of the columns that hold codes. */
    readonly codes: Readonly<Record<string, readonly string[] | undefined>>;
}
export declare function readEpisodeTensors(file: TensorBytes): Promise<EpisodeTensors>;
/**
 * Returns an episode from the rows of a batch. It has no messages, and in style `concat` only the last turn of each row.
 *
 * @param position position of the session in the file
 */
export declare function toEpisode(batch: Pick<BatchTokens, "rows" | "length">, tensors: EpisodeTensors, sessionId: string, position: number): EpisodeLine;
