/**
 * Writes a key and a line break to a file that only its owner can read.
 *
 * The file appears complete or not at all. An existing file or link is replaced, not written to. A folder that has to
 * be created is accessible to its owner only.
 */
export declare function writeKeyFile(file: string, key: string): void;
/** Removes a key file, unless another server has put its own key there. */
export declare function removeKeyFile(file: string, key: string): void;
