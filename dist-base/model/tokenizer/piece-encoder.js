import { CodedError } from "../../support/coded-error.js";
import { isNormalized } from "./added-token.js";
import { ByteLevelBpe, byteLevelModelSchema } from "./bpe/byte-level.js";
import { createWordSplitter } from "./bpe/word-splitter.js";
import { cutAtSpaces } from "./cut-at-spaces.js";
import { IdBuffer } from "./id-buffer.js";
import { isIdentity, matchAny } from "./splitter.js";
/** Thrown if a text cannot be encoded: the vocabulary has no token for a character, or a part without a break is too long. */
export class TokenizerError extends CodedError {
    name = "TokenizerError";
    constructor(message, options) {
        super("tokenizer_error", message, options);
    }
}
/**
 * Creates the fastest encoder for these files: our own byte-level BPE if it supports the tokenizer, otherwise the library.
 * Both return the same ids.
 *
 * @param library returns the library's tokenizer, which takes long to create and may not be needed
 */
export function createPieceEncoder(files, library) {
    const slow = refuseTooLong((piece) => encodeByLibrary(library(), piece));
    const fast = findFastParts(files);
    if (fast === undefined)
        return { encode: slow, parts: (piece) => [piece] };
    const { added_tokens: added, normalizer } = files.tokenizer;
    const { leading, special } = buildTokenPatterns(added, isIdentity(normalizer));
    const isPlain = (piece) => special === undefined || !(special.test(piece) || special.test(fast.normalize(piece)));
    return {
        encode: refuseTooLong((piece) => isPlain(piece) ? encodeByWords(fast, leading?.exec(piece)?.[0] ?? "", piece) : slow(piece)),
        parts: (piece, size) => piece.length > size && fast.splitter.endsBeforeSpaces && isPlain(piece) ? cutAtSpaces(piece, size) : [piece],
    };
}
/**
 * Returns an encoder that throws a TokenizerError if V8 throws a RangeError. A regular expression needs memory for each character
 * of a match, so it fails on a word of some million characters. The exact length depends on the pattern.
 */
function refuseTooLong(encode) {
    return (piece) => {
        try {
            return encode(piece);
        }
        catch (cause) {
            if (!(cause instanceof RangeError))
                throw cause;
            throw new TokenizerError(`a text of ${piece.length} characters has too few breaks, such as spaces`, { cause });
        }
    };
}
function findFastParts({ tokenizer, config }) {
    const normalize = readNormalizer(tokenizer.normalizer);
    const splitter = createWordSplitter(tokenizer.pre_tokenizer);
    const model = byteLevelModelSchema.safeParse(tokenizer.model);
    if (normalize === undefined || splitter === undefined || !model.success || isRewriting(config))
        return undefined;
    const bpe = ByteLevelBpe.from(model.data);
    const ids = new Map(tokenizer.added_tokens.map((token) => [token.content, token.id]));
    return bpe && { normalize, splitter, bpe, ids };
}
/** @param token the added token with which the piece begins; empty if there is none */
function encodeByWords({ normalize, splitter, bpe, ids }, token, piece) {
    const out = new IdBuffer();
    const id = ids.get(token);
    if (id !== undefined)
        out.push(Int32Array.of(id));
    for (const word of splitter.words(normalize(piece.slice(token.length))))
        out.push(bpe.encode(word));
    return out.ids();
}
function encodeByLibrary(library, piece) {
    const { ids } = library.encode(piece, { add_special_tokens: false });
    const out = new Int32Array(ids.length);
    for (const [index, id] of ids.entries()) {
        if (id === undefined)
            throw new TokenizerError("the vocabulary has no token for a character of the text");
        out[index] = id;
    }
    return out;
}
function readNormalizer(normalizer) {
    if (isIdentity(normalizer))
        return (text) => text;
    const isNfc = typeof normalizer === "object" && normalizer !== null && "type" in normalizer;
    return isNfc && normalizer.type === "NFC" ? (text) => text.normalize("NFC") : undefined;
}
/** Returns true if the settings make the library change a text before it encodes it. */
function isRewriting(config) {
    return ["remove_space", "do_lowercase_and_remove_accent"].some((key) => Reflect.get(config, key) === true);
}
/**
 * Returns two patterns. `leading` finds the added token with which a piece begins. `special` finds tokens that only the
 * library handles, because they remove white space or are found after normalization; it encodes pieces that contain one.
 */
function buildTokenPatterns(added, isUnchanged) {
    const needsLibrary = (token) => token.lstrip || token.rstrip || (isNormalized(token) && !isUnchanged);
    const simple = added.filter((token) => !needsLibrary(token));
    const special = added.filter(needsLibrary);
    return {
        leading: simple.length === 0 ? undefined : new RegExp(`^(?:${matchAny(simple)})`),
        special: special.length === 0 ? undefined : new RegExp(matchAny(special)),
    };
}
//# sourceMappingURL=piece-encoder.js.map