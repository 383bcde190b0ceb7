/**
 * Returns a copy of a JSON value without repeated alternatives of unions, and with a union of one alternative replaced by it. The
 * schemas of the routes have both: a union of content parts may have one kind, and two kinds may differ only in code.
 */
export declare function simplifyUnions<T>(value: T): T;
