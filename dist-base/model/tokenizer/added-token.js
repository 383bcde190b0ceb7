import { z } from "zod";
/** A token that is found in the text before the vocabulary's own rules apply (`added_tokens` of tokenizer.json). */
export const addedTokenSchema = z.object({
    id: z.int().min(0),
    content: z.string().min(1),
    /** `lstrip` removes the white space before the token, `rstrip` that after it. */
    lstrip: z.boolean().default(false),
    rstrip: z.boolean().default(false),
    single_word: z.boolean().default(false),
    special: z.boolean().default(false),
    /** The token is found in the normalized text instead of the original text. */
    normalized: z.boolean().optional(),
});
/** Returns true if the token is found only after normalization. Like in the Rust library, the default is "not special". */
export const isNormalized = (token) => token.normalized ?? !token.special;
//# sourceMappingURL=added-token.js.map