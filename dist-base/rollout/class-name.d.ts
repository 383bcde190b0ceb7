/**
 * Returns the class name of a thrown value. Many SDKs do not set `name`, so the name of the constructor is used too.
 */
export declare function readClassName(error: unknown): string;
/** Describes a thrown value as `class: message`. The class is omitted if it is plain `Error`. */
export declare function describeThrown(error: unknown): string;
