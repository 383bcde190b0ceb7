import type { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { joinIds } from "../support/model-folder.js";
import type { Tokenized } from "../support/published-tokenizers.js";

/** Encodes texts and decodes their ids. */
export function tokenizeAll(tokenizer: Tokenizer, texts: readonly string[]): Promise<Tokenized[]> {
  const tokenize = async (text: string): Promise<Tokenized> => {
    const ids = joinIds(await tokenizer.encode(text));
    const decode = (skipSpecialTokens: boolean) => tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens });
    return [ids, decode(false), decode(true)];
  };
  return Promise.all(texts.map(tokenize));
}
