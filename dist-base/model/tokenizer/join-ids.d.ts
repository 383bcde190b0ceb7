/** Returns the ids of all pieces in a new array. */
export declare function joinIds(pieces: readonly Int32Array[]): Int32Array;
