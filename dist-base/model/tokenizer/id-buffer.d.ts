/** Collects token ids in an array that grows. */
export declare class IdBuffer {
    #private;
    /** Appends ids and returns their number. */
    push(ids: Int32Array): number;
    /** Returns a copy of all ids. */
    ids(): Int32Array;
}
