/**
 * Returns the JSON texts of some fields of an object, exactly as they are spelled. Strings are skipped without being
 * decoded, so that a large body takes little time.
 *
 * @param json an object that `JSON.parse` accepts; its syntax is not checked again
 * @param names names without characters that JSON may escape
 * @returns the text of each field that exists; of a field that occurs twice, the later text
 */
export declare function readFieldTexts(json: string, names: ReadonlySet<string>): Map<string, string>;
