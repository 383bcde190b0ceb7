import { stat } from "node:fs/promises";
import { join } from "node:path";
import { requireRegularFile } from "../../../../support/regular-file.js";
import type { TensorEntry } from "../../../../support/safetensors/read-header.js";
import { INDEX_FILE, readShardIndex } from "../../../../support/safetensors/shard-index.js";
import { TensorFile } from "../../../../support/safetensors/tensor-file.js";
import { EngineError } from "../../../engine.js";

export interface CheckpointTensor {
  readonly path: string;
  readonly file: TensorFile;
  readonly entry: TensorEntry;
}

const SINGLE_FILE = "model.safetensors";

/** The safetensors files of a Hugging Face folder, one or several. Like transformers, prefers `model.safetensors` to an index. */
export class CheckpointFiles implements AsyncDisposable {
  readonly tensors = new Map<string, CheckpointTensor>();
  readonly #files: TensorFile[] = [];

  private constructor() {}

  /** @throws EngineError that names the file */
  static async open(folder: string): Promise<CheckpointFiles> {
    const files = new CheckpointFiles();
    try {
      if (await isFile(join(folder, SINGLE_FILE))) await files.#addFile(folder, SINGLE_FILE);
      else await files.#addShards(folder);
      return files;
    } catch (error) {
      await files[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#files.map((file) => file[Symbol.asyncDispose]()));
  }

  async #addShards(folder: string): Promise<void> {
    const path = join(folder, INDEX_FILE);
    if (!(await isFile(path))) {
      throw new EngineError("engine_error", `${folder} has neither ${SINGLE_FILE} nor ${INDEX_FILE}.`);
    }
    const shards = await readIndex(path);
    for (const [shard, names] of shards) await this.#addFile(folder, shard, names);
  }

  /** @param names the tensors to take from the file. Default: all. */
  async #addFile(folder: string, name: string, names?: ReadonlySet<string>): Promise<void> {
    const path = join(folder, name);
    const file = await openFile(path);
    this.#files.push(file);
    for (const entry of file.header.tensors) {
      if (!names || names.has(entry.name)) this.tensors.set(entry.name, { path, file, entry });
    }
    const missing = [...(names ?? [])].find((each) => !this.tensors.has(each));
    if (missing)
      throw new EngineError("engine_error", `${path}: tensor ${missing} is missing, but the index names it.`);
  }
}

/** @throws EngineError that names the file */
function readIndex(path: string): Promise<Map<string, Set<string>>> {
  return readShardIndex(path).catch((cause: unknown) => {
    throw new EngineError("engine_error", `${path} is not an index of safetensors files.`, { cause });
  });
}

async function openFile(path: string): Promise<TensorFile> {
  try {
    await requireRegularFile(path);
    return await TensorFile.open(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("engine_error", `${path} cannot be read: ${reason}`, { cause });
  }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
