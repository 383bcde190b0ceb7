import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { modelDigest } from "../../model/model-digest.js";
import { type ModelFiles, readModelFiles } from "../../model/model-files.js";
import { Vocabulary } from "../../model/output/detokenizer/vocabulary.js";
import type { TokenEntries } from "./token-texts.js";

export interface LoadedEntries {
  readonly entries: TokenEntries;
  /** Digest of the model's tokenizer and template, as batches and transcripts have it. */
  readonly digest: string;
}

/**
 * Loads the vocabulary that turns a model's tokens into text. It does not load the encoder, which takes several times the
 * memory.
 *
 * @throws ModelFolderError
 */
export async function loadEntries(folder: string): Promise<LoadedEntries> {
  const { tokenizer, digest } = await readModelFiles(folder);
  const spellings = readSpellings(tokenizer);
  const source = { findToken: (id: number) => spellings[id], decode: () => "" };
  const { added_tokens, decoder } = tokenizer as { readonly decoder?: unknown } & ModelFiles["tokenizer"];
  return { entries: new Vocabulary({ added_tokens, decoder }, source), digest };
}

/** No vocabulary has larger ids. They would make the list of spellings huge. */
const MAX_ID = 1 << 24;

/** Returns the tokens of a vocabulary by id: an object of ids, or for Unigram models a list of pairs. */
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

/** Larger files are not tokenizers. */
const MAX_FILE_BYTES = 1 << 28;

/**
 * Returns true if a folder that a transcript names has this digest. The name is untrusted: pipes, devices and huge files are not
 * read.
 */
export async function hasDigest(folder: string, digest: string): Promise<boolean> {
  if (!isAbsolute(folder) || folder.startsWith("//")) return false;
  for (const name of ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]) {
    try {
      const facts = await lstat(await realpath(join(folder, name)));
      if (!facts.isFile() || facts.size > MAX_FILE_BYTES) return false;
    } catch {
      // The digest covers the files that exist.
    }
  }
  return (await modelDigest(folder)) === digest;
}
