import type { TensorFile } from "../../support/safetensors/tensor-file.js";
/** Properties of batches that may cause unintended training. */
export interface BatchFindings {
    readonly rows: number;
    /** Rows whose reward leaves out own rewards of earlier turns. */
    readonly uncountedRows: number;
    /** Conversation trees without any reward, and the first of them. */
    readonly unrewardedRoots: number;
    readonly firstUnrewarded: {
        readonly session_id: string;
        readonly interaction_id: string;
    } | undefined;
    /** Sessions whose rewards reach no row because of the filters, and the id of the first. */
    readonly rewardsFiltered: number;
    readonly firstFiltered: string | undefined;
    /** Interactions that are not trained on, by reason. */
    readonly undelivered: number;
    readonly retried: number;
    /** Rows whose log probabilities were recorded before temperature and penalties. */
    readonly rawRows: number;
    /** Rows for which it is not known what the log probabilities include. */
    readonly unknownRows: number;
}
export declare const NO_FINDINGS: BatchFindings;
/**
 * Reads the findings of one batch. All counts but `rows` are 0 if it has no row tensors.
 *
 * @param rows number of rows of the batch
 */
export declare function readFindings(file: TensorFile, rows: number): Promise<BatchFindings>;
/** Returns the findings of two sets of batches together. */
export declare function addFindings(a: BatchFindings, b: BatchFindings): BatchFindings;
/** Returns one warning per finding that is not 0: what was found, how often, and what to do. */
export declare function describeFindings(findings: BatchFindings): string[];
