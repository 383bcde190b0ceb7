import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AddedTokenSpec, byteLevelTokenizer } from "./bpe.js";

/** Files of a model folder by name; objects are written as JSON, null leaves the file out. */
export type FolderFiles = Readonly<Record<string, unknown>>;

/** Writes a model folder below the system's temporary directory: a ChatML model but for what `files` says. */
export function writeModelFolder(template: string, added: readonly string[], files: FolderFiles = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "chat-model-"));
  const specs: AddedTokenSpec[] = added.map((content) => ({ content }));
  const all: FolderFiles = {
    "tokenizer.json": byteLevelTokenizer(specs),
    "tokenizer_config.json": { bos_token: "<s>", eos_token: added[0], clean_up_tokenization_spaces: false },
    "chat_template.jinja": template,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === null) continue;
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

/** One array of ids out of pieces. */
export function joinIds(pieces: readonly Int32Array[]): number[] {
  return pieces.flatMap((piece) => [...piece]);
}
