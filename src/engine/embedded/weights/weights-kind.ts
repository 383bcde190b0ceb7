import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { assertRegularFile, openRegularFile } from "../../../support/regular-file.js";

/** The forms of new weights. */
export type WeightsKind = "checkpoint folder" | "GGUF file";

const MAGIC = "GGUF";

/**
 * Returns what a path leads to, by its content.
 *
 * @throws Error that says what to pass instead
 */
export async function weightsKind(path: string): Promise<WeightsKind> {
  const entry = await statWeights(path);
  if (entry.isDirectory()) return "checkpoint folder";
  assertRegularFile(entry);
  if ((await readBeginning(path, MAGIC.length)) === MAGIC) return "GGUF file";
  // Trainers often name the safetensors file itself.
  throw new Error("the file is no GGUF file. For safetensors, pass the folder that has them and config.json.");
}

async function statWeights(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isAbsolute(path) || !(error instanceof Error)) throw error;
    // The client that sent the path may have another working directory.
    const hint = `Relative paths begin at the server's working directory, ${process.cwd()}.`;
    throw new Error(`${error.message}. ${hint}`, { cause: error });
  }
}

async function readBeginning(path: string, length: number): Promise<string> {
  await using file = await openRegularFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.toString("latin1", 0, bytesRead);
}
