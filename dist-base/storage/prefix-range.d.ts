/** The keys that begin with a prefix: from `from` to before `to`. Undefined: to the end. */
export interface PrefixRange {
    readonly from: Buffer | undefined;
    readonly to: Buffer | undefined;
}
export declare function rangeOfPrefix(prefix: Uint8Array): PrefixRange;
/** Returns the bytes as a Buffer, without a copy. */
export declare function asBuffer(bytes: Uint8Array): Buffer;
