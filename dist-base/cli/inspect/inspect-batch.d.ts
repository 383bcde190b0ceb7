import type { Header } from "../../support/safetensors/read-header.js";
import type { TensorFile } from "../../support/safetensors/tensor-file.js";
import { type BatchFindings } from "./batch-findings.js";
import { type InspectedColumns } from "./columns.js";
import { type BatchRow } from "./rows.js";
/** The content of a batch, read from its header and its tensors. */
export interface InspectedBatch {
    readonly header: Header;
    readonly byteLength: number;
    /** Empty if the file is not a batch of Rolltape. */
    readonly rows: readonly BatchRow[];
    /** Rewards after the discount, by row or by node of a tree. */
    readonly rewards: readonly number[];
    /** Number of tokens in the loss. */
    readonly lossTokens: number;
    /** Number of sampled tokens by weight version. */
    readonly versions: ReadonlyMap<number, number>;
    /** Empty if the file has no row tensors. */
    readonly columns: InspectedColumns;
    readonly findings: BatchFindings;
}
export declare function inspectBatch(file: TensorFile): Promise<InspectedBatch>;
