import type { ModelFiles } from "./model-files.js";

/**
 * Returns the number of token ids that the model can sample. The output layer may have more ids than the tokenizer, because its size is
 * often rounded up. Without config.json, returns the tokenizer's size.
 */
export function readVocabularySize({ config, tokenizer }: Pick<ModelFiles, "config" | "tokenizer">): number {
  const { vocab } = tokenizer.model as { readonly vocab?: unknown };
  // Unigram models list their tokens in the order of their ids; other models map the token to its id.
  let size = 0;
  if (Array.isArray(vocab)) size = vocab.length;
  else for (const id of Object.values(vocab ?? {})) size = Math.max(size, Number(id) + 1);
  for (const { id } of tokenizer.added_tokens) size = Math.max(size, id + 1);
  return Math.max(size, config.vocab_size ?? 0, config.text_config?.vocab_size ?? 0);
}
