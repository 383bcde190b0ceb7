/** Returns the name that a tensor of a GGUF file has in Hugging Face's files; undefined if it is not known. */
export declare function toHuggingFaceName(name: string): string | undefined;
