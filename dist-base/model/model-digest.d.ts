/**
 * Returns a digest of a model folder's tokenizer and chat template: the SHA-256, in hex, of the output of
 * `sha256sum tokenizer.json tokenizer_config.json chat_template.jinja` for the files that exist.
 */
export declare function modelDigest(folder: string): Promise<string>;
