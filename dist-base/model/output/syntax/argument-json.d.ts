/** Rules for values whose type the tool's schema leaves open. */
export interface ValueRules {
    /** A parameter without a type in the schema is always text, or JSON if it is valid JSON. */
    readonly untyped: "text" | "json";
    /** `null` is null even if the schema requires a string. */
    readonly nullForStrings: boolean;
}
/**
 * Converts a parameter that the model wrote as plain text to JSON, typed by the tool's JSON schema: a string if the schema
 * requires one; otherwise the JSON value or Python literal, if its type fits; otherwise a string. JSON keeps its spelling.
 */
export declare function toArgumentJson(raw: string, types: ReadonlySet<string> | undefined, rules: ValueRules): string;
