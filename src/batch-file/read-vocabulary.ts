import { type ModelFiles, readModelFiles } from "../model/model-files.js";
import { type PackedSpellings, packSpellings } from "./packed-spellings.js";

/** The data that turn tokens into text. */
export interface LoadedVocabulary {
  readonly spellings: PackedSpellings;
  readonly added_tokens: ModelFiles["tokenizer"]["added_tokens"];
  readonly decoder: unknown;
  /** Digest of the model's tokenizer and template, as batches and transcripts have it. */
  readonly digest: string;
}

/** Larger ids are ignored, because they would make the list of spellings huge. No vocabulary has them. */
const MAX_ID = 1 << 24;

/** Returns the tokens of a vocabulary by id. tokenizer.json has an object of ids, or for Unigram models a list of pairs. */
function readSpellings({ model, added_tokens: added }: ModelFiles["tokenizer"]): string[] {
  const spellings: string[] = [];
  const vocab: unknown = model["vocab"];
  if (Array.isArray(vocab)) {
    for (const entry of vocab as unknown[]) {
      const token: unknown = Array.isArray(entry) ? entry[0] : undefined;
      spellings.push(typeof token === "string" ? token : "");
    }
  } else if (typeof vocab === "object" && vocab !== null) {
    for (const [token, id] of Object.entries(vocab)) {
      if (typeof id === "number" && id >= 0 && id <= MAX_ID) spellings[id] = token;
    }
  }
  for (const { id, content } of added) if (id <= MAX_ID) spellings[id] = content;
  return spellings;
}

/**
 * Reads the vocabulary of a model folder.
 *
 * @throws ModelFolderError
 */
export async function readVocabulary(folder: string): Promise<LoadedVocabulary> {
  const { tokenizer, digest } = await readModelFiles(folder);
  const { decoder, added_tokens } = tokenizer as { readonly decoder?: unknown } & ModelFiles["tokenizer"];
  return { spellings: packSpellings(readSpellings(tokenizer)), added_tokens, decoder, digest };
}
