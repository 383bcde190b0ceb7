/** Returns the object without fields that are null; the object itself if it has none, so that its key order stays. */
export declare function withoutNulls<T extends object>(value: T): T;
