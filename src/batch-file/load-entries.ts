import { once } from "node:events";
import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { modelDigest } from "../model/model-digest.js";
import { ModelFolderError } from "../model/model-files.js";
import { Vocabulary } from "../model/output/detokenizer/vocabulary.js";
import { startThread } from "../support/start-thread.js";
import { findSpelling } from "./packed-spellings.js";
import type { TokenEntries } from "./token-texts.js";
import type { VocabularyResult, VocabularyThreadData } from "./vocabulary-thread.js";

export interface LoadedEntries {
  readonly entries: TokenEntries;
  /** Digest of the model's tokenizer and template, as batches and transcripts have it. */
  readonly digest: string;
}

/**
 * Loads the vocabulary that turns a model's tokens into text, without the encoder. A thread does it: parsing a tokenizer.json takes half
 * a second and leaves a hundred megabytes of garbage, which end with the thread.
 *
 * @throws ModelFolderError
 */
export async function loadEntries(folder: string): Promise<LoadedEntries> {
  const workerData: VocabularyThreadData = folder;
  const thread = startThread("./vocabulary-thread", import.meta.url, { workerData });
  const [result] = (await once(thread, "message")) as [VocabularyResult];
  if ("code" in result) throw new ModelFolderError(result.code, result.message);
  const { spellings, added_tokens, decoder, digest } = result;
  const source = { findToken: (id: number) => findSpelling(spellings, id), decode: () => "" };
  return { entries: new Vocabulary({ added_tokens, decoder }, source), digest };
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
