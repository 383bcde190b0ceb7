import { access, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../../../support/cache-folder.js";
import { GGUF_FILE, tinyModelFiles } from "./tiny-model-files.js";

/** Part of the folder's name. Raise it whenever the content of a file changes. */
export const TINY_MODEL_VERSION = 4;

export interface TinyModel {
  /** Path of the GGUF file. */
  readonly gguf: string;
  /** Path of the Hugging Face folder, with weights, configuration and tokenizer. transformers loads it. */
  readonly folder: string;
}

/**
 * Returns a small random-weight chat model, which the first call generates in the cache folder. Several processes may
 * call it at the same time: each writes a draft folder, the first one to rename its draft wins, and the others use that.
 */
export async function ensureTinyModel(cache: string = cacheFolder()): Promise<TinyModel> {
  const folder = join(cache, `tiny-model-${TINY_MODEL_VERSION}`);
  if (!(await exists(folder))) await makeAtomically(cache, folder);
  return { gguf: join(folder, GGUF_FILE), folder };
}

async function makeAtomically(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, ".tiny-model-"));
  try {
    for (const [name, bytes] of tinyModelFiles()) await writeFile(join(draft, name), bytes);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
