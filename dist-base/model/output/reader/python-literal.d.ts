/**
 * Returns the JSON text of a Python literal (strings, numbers, True, False, None, lists, tuples, dicts); otherwise
 * undefined.
 */
export declare function parsePythonLiteral(text: string): string | undefined;
