/** Decodes ids, such as a `ChatModel`. */
interface IdDecoder {
    decode(ids: Int32Array, options: {
        readonly skipSpecialTokens: boolean;
    }): string;
}
/**
 * Returns the text of each token. The text of a character that several tokens spell is that of the last; the others have an empty one.
 *
 * A token is decoded together with the one before it, because some tokenizers drop a space at the start of a text.
 */
export declare function decodeEach(decoder: IdDecoder, ids: Int32Array): string[];
export {};
