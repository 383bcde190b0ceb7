/** Summary of a list of numbers. */
export interface Distribution {
    readonly count: number;
    readonly min: number;
    readonly median: number;
    readonly mean: number;
    readonly max: number;
}
/** Summarizes numbers; undefined for an empty list. Of two middle values, the median is the lower one. */
export declare function summarizeNumbers(values: readonly number[]): Distribution | undefined;
export interface Bin {
    /** Lower bound, part of the bin. */
    readonly from: number;
    /** Upper bound, part of the bin. */
    readonly to: number;
    readonly count: number;
}
/** Counts integers in bins of equal width. There are at most `bins` bins. */
export declare function countBins(values: readonly number[], bins: number): Bin[];
/** Formats a number with six digits, about the precision of a float32. */
export declare function formatNumber(value: number): string;
