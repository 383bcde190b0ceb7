/**
 * Checks that all that the header of a GGUF file counts lies within the file. The library that reads it afterwards believes
 * every count, also one of 2^62.
 *
 * @throws Error that names the problem
 */
export declare function checkGgufHeader(path: string): Promise<void>;
