import { z } from "zod";

/** A token that is found in the text before the vocabulary's own rules see it (`added_tokens` of tokenizer.json). */
export const addedTokenSchema = z.object({
  id: z.int().min(0),
  content: z.string().min(1),
  /** Takes the white space before it, or after it, away. */
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  single_word: z.boolean().default(false),
  special: z.boolean().default(false),
  /** Found in the normalized text, not in the text as it is. */
  normalized: z.boolean().optional(),
});

export type AddedToken = z.infer<typeof addedTokenSchema>;

/** Is it found only after normalization? Absent means: unless it is special, as the Rust library has it. */
export const isNormalized = (token: AddedToken): boolean => token.normalized ?? !token.special;
