/** Parses a JSON object. Returns an empty object for any other text. */
export declare function jsonObject(text: string): Record<string, unknown>;
export declare function positiveInteger(value: unknown): number | undefined;
/** Reads a weight version, which engines send as text; undefined for a label that is not a number. */
export declare function versionNumber(value: unknown): number | undefined;
