/** Describes a value briefly for an error message: its type, and a short form of its content. */
export declare function describe(value: unknown): string;
