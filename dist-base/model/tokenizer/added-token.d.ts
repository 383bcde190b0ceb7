import { z } from "zod";
/** A token that is found in the text before the vocabulary's own rules apply (`added_tokens` of tokenizer.json). */
export declare const addedTokenSchema: z.ZodObject<{
    id: z.ZodInt;
    content: z.ZodString;
    lstrip: z.ZodDefault<z.ZodBoolean>;
    rstrip: z.ZodDefault<z.ZodBoolean>;
    single_word: z.ZodDefault<z.ZodBoolean>;
    special: z.ZodDefault<z.ZodBoolean>;
    normalized: z.ZodOptional<z.ZodBoolean>;
}, z.core.$strip>;
export type AddedToken = z.infer<typeof addedTokenSchema>;
/** Returns true if the token is found only after normalization. Like in the Rust library, the default is "not special". */
export declare const isNormalized: (token: AddedToken) => boolean;
