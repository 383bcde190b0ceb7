/**
 * Finds an array and its elements in the bytes of a JSON text without parsing it. Both functions assume that the text
 * is JSON. For any other text they terminate, but the result is meaningless.
 */
/**
 * Finds the first field of the text's object that has one of these names.
 *
 * @returns the offset after the opening bracket of its array; undefined if there is no such field or it has no array
 */
export declare function findArrayStart(json: Buffer, names: ReadonlySet<string>): number | undefined;
/**
 * Finds the string value of a field of the object that the text contains.
 *
 * @returns the offset of its opening quote and the offset after its closing quote. Undefined if the value is no string, or if a name in the
 * object has an escape, because it may then be the same name
 */
export declare function findString(json: Buffer, name: string): {
    readonly start: number;
    readonly end: number;
} | undefined;
/**
 * Returns the offsets after those elements of an array that are objects or arrays. Other elements are skipped.
 *
 * @param from offset after the array's opening bracket, or after one of its elements
 */
export declare function findElementEnds(json: Buffer, from: number): number[];
/**
 * Returns true if the rest of the text's object has a field with this name, or one whose name is spelled with an escape.
 *
 * @param from offset after an element of an array that is a field of the object
 */
export declare function mayHaveField(json: Buffer, name: string, from: number): boolean;
