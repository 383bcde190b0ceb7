import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { byteLevelTokenizer } from "./bpe.js";

/** Files of a model folder by name. Objects are written as JSON; null leaves out the file. */
export type FolderFiles = Readonly<Record<string, unknown>>;

/**
 * Writes a model folder to the system's temporary directory and removes it after the test. It has a small byte-level BPE
 * whose added tokens are those of the template.
 *
 * @param stops spellings of the tokens that end a turn
 * @param files replace or complete the default files; null leaves out a file
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

/** Concatenates pieces to one array of ids. */
export function joinIds(pieces: readonly Int32Array[]): number[] {
  return pieces.flatMap((piece) => [...piece]);
}
