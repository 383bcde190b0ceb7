import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { byteLevelTokenizer } from "./bpe.js";

/** Files of a model folder by name; objects are written as JSON, null leaves the file out. */
export type FolderFiles = Readonly<Record<string, unknown>>;

/**
 * Writes a model folder below the system's temporary directory, for as long as the test runs, with a small byte-level BPE whose added tokens are
 * what looks like one in the template.
 *
 * @param stops tokens that end a turn, by their spelling
 * @param files instead of, or beside, the files that are written; null leaves one out
 */
export function writeModelFolder(template: string, stops: readonly string[], files: FolderFiles = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "chat-model-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const added = [...new Set([...stops, ...(template.match(/<[|｜][^<>\s'"]+?[|｜]>/g) ?? [])])];
  const tokenizer = byteLevelTokenizer(added.map((content) => ({ content })));
  const ids = tokenizer.added_tokens.filter((token) => stops.includes(token.content)).map((token) => token.id);
  const all: FolderFiles = {
    "tokenizer.json": tokenizer,
    "tokenizer_config.json": { bos_token: "<BOS>", eos_token: "<EOS>", clean_up_tokenization_spaces: false },
    "generation_config.json": { eos_token_id: ids },
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
