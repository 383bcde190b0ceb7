/** The row that a user asks for does not exist. */
export declare class BatchRowError extends Error {
    readonly name = "BatchRowError";
    constructor(row: number, count: number);
}
