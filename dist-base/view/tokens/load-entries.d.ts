import type { TokenEntries } from "./token-texts.js";
export interface LoadedEntries {
    readonly entries: TokenEntries;
    /** Digest of the model's tokenizer and template, as batches and transcripts have it. */
    readonly digest: string;
}
/**
 * Loads the vocabulary that turns a model's tokens into text, in a thread: parsing a tokenizer.json takes half a second and leaves a
 * hundred megabytes of garbage, which ends with the thread. The encoder is not loaded.
 *
 * @throws ModelFolderError
 */
export declare function loadEntries(folder: string): Promise<LoadedEntries>;
/**
 * Returns true if a folder that a transcript names has this digest. The name is untrusted: pipes, devices and huge files are not
 * read.
 */
export declare function hasDigest(folder: string, digest: string): Promise<boolean>;
