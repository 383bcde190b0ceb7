import { z } from "zod";
/** The `model` of a tokenizer.json with a byte-level BPE that consists only of vocabulary and merges. */
export declare const byteLevelModelSchema: z.ZodObject<{
    type: z.ZodLiteral<"BPE">;
    vocab: z.ZodCustom<Readonly<Record<string, number>>, Readonly<Record<string, number>>>;
    merges: z.ZodCustom<readonly (string | readonly [string, string])[], readonly (string | readonly [string, string])[]>;
    dropout: z.ZodOptional<z.ZodNullable<z.ZodLiteral<0>>>;
    unk_token: z.ZodOptional<z.ZodNull>;
    continuing_subword_prefix: z.ZodOptional<z.ZodNullable<z.ZodLiteral<"">>>;
    end_of_word_suffix: z.ZodOptional<z.ZodNullable<z.ZodLiteral<"">>>;
    byte_fallback: z.ZodOptional<z.ZodLiteral<false>>;
    ignore_merges: z.ZodDefault<z.ZodBoolean>;
}, z.core.$strip>;
export type ByteLevelModel = z.infer<typeof byteLevelModelSchema>;
/**
 * Encodes words by byte-level BPE. It works on numbers in typed arrays, where the libraries use texts and objects. The time
 * grows as n log n with the length of a word.
 */
export declare class ByteLevelBpe {
    #private;
    /** Returns undefined if the vocabulary lacks a byte, or an input or result of a merge. */
    static from(model: ByteLevelModel): ByteLevelBpe | undefined;
    private constructor();
    /** Returns the ids of a word. The array is shared: do not change it, and read it before the next call. */
    encode(word: string): Int32Array;
}
