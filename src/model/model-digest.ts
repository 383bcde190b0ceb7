import { createHash } from "node:crypto";
import { join } from "node:path";
import { openRegularFile } from "../support/regular-file.js";

/** The files that determine the tokens of a conversation. */
const FILES = ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"];

/**
 * Returns a digest of a model folder's tokenizer and chat template: the SHA-256, in hex, of the output of
 * `sha256sum tokenizer.json tokenizer_config.json chat_template.jinja` for the files that exist.
 */
export async function modelDigest(folder: string): Promise<string> {
  const lines = await Promise.all(FILES.map((name) => checksumLine(folder, name)));
  return sha256(lines.join(""));
}

async function checksumLine(folder: string, name: string): Promise<string> {
  const content = await readBytes(join(folder, name)).catch(() => undefined);
  return content === undefined ? "" : `${sha256(content)}  ${name}\n`;
}

async function readBytes(path: string): Promise<Buffer> {
  await using file = await openRegularFile(path);
  return await file.readFile();
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
