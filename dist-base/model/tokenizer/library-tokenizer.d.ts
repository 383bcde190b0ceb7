/**
 * The part of @huggingface/tokenizers 0.2.0 that is used here. Its own types do not resolve under Node's module resolution.
 */
interface Library {
    encode(text: string, options: {
        add_special_tokens: boolean;
    }): {
        readonly ids: readonly (number | undefined)[];
    };
    /** Throws if there are no ids. */
    decode(ids: readonly number[], options: {
        skip_special_tokens: boolean;
        clean_up_tokenization_spaces: boolean;
    }): string;
    token_to_id(token: string): number | undefined;
    id_to_token(id: number): string | undefined;
    /** A `Sequence` has `tokenizers`. Those of type `Split` have their pattern as a JavaScript regular expression. */
    readonly pre_tokenizer: {
        readonly tokenizers?: readonly {
            readonly pattern?: RegExp;
        }[];
    } | null;
}
declare const LibraryBase: new (tokenizer: object, config: object) => Library;
/** The library's tokenizer, which splits text like Python's `tokenizers`. */
export declare class LibraryTokenizer extends LibraryBase {
    /**
     * @param tokenizer tokenizer.json
     * @param config tokenizer_config.json
     */
    constructor(tokenizer: object, config: object);
}
export {};
