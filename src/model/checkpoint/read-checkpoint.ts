import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Semaphore } from "../../support/async/semaphore.js";
import { requireRegularFile } from "../../support/regular-file.js";
import { findExtentProblem } from "../../support/safetensors/read-header.js";
import { INDEX_FILE, readShardIndex } from "../../support/safetensors/shard-index.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";

/** The headers of a model folder's safetensors files. No weights are read. */
export interface Checkpoint {
  /** Shapes by the name of the tensor. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Damaged files and tensors, each with what is wrong. */
  readonly damage: readonly string[];
}

/** The weights of a folder cannot be read here, or are no safetensors. The message follows the name of the folder. */
export class UnreadableCheckpointError extends Error {}

/** A hostile header could otherwise take all memory. That of a file with 100,000 tensors has 12 MB. */
const MAX_HEADER_BYTES = 16 * 2 ** 20;
const MAX_FILES = 4_096;
/** Headers that are in memory at once. Files on a network file system are read faster in parallel. */
const PARALLEL_FILES = 4;

const SAFETENSORS = /\.safetensors$/;
const OTHER_WEIGHTS = /\.(?:bin|pt|pth|ckpt|gguf|npz|tensors)$/;
const ADAPTER_FILE = "adapter_config.json";

/**
 * Reads the headers of the files that inference engines load from a folder: those that the index names, or without an index
 * every safetensors file.
 *
 * @param signal no more files are opened when it aborts
 * @throws UnreadableCheckpointError
 */
export async function readCheckpoint(folder: string, signal: AbortSignal): Promise<Checkpoint> {
  const names = await listFiles(folder);
  const damage: string[] = [];
  const files = names.includes(INDEX_FILE)
    ? await readIndex(folder, damage)
    : names.filter((name) => SAFETENSORS.test(name));
  if (files.length > MAX_FILES) throw new UnreadableCheckpointError(`has ${files.length} safetensors files`);
  const shapes = new Map<string, readonly number[]>();
  const places = new Semaphore(PARALLEL_FILES);
  const read = async (name: string) => {
    using _place = await places.acquire(signal);
    const found = await readShapes(folder, name);
    for (const [tensor, shape] of found.shapes) shapes.set(tensor, shape);
    damage.push(...found.damage);
  };
  await Promise.all(files.map(read));
  return { shapes, damage };
}

async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(error);
  });
  const hasAny = names.includes(INDEX_FILE) || names.some((name) => SAFETENSORS.test(name));
  if (names.includes(ADAPTER_FILE) && !names.some((name) => /^model\b.*\.safetensors/.test(name))) {
    throw new UnreadableCheckpointError("has a LoRA adapter");
  }
  if (!hasAny && names.some((name) => OTHER_WEIGHTS.test(name))) {
    throw new UnreadableCheckpointError("has weights that are not safetensors");
  }
  return names;
}

async function readIndex(folder: string, damage: string[]): Promise<string[]> {
  try {
    return [...(await readShardIndex(join(folder, INDEX_FILE))).keys()];
  } catch (error) {
    if (isAccessError(error)) throw unreadable(error, INDEX_FILE);
    damage.push(`${INDEX_FILE}: is not an index of safetensors files`);
    return [];
  }
}

async function readShapes(folder: string, name: string): Promise<Checkpoint> {
  const path = join(folder, name);
  const shapes = new Map<string, readonly number[]>();
  try {
    await requireRegularFile(path);
    await using file = await TensorFile.open(path, { maxHeaderBytes: MAX_HEADER_BYTES, allowDamage: true });
    const { byteLength, header } = file;
    const damage = header.tensors.flatMap((entry) => {
      shapes.set(entry.name, entry.shape);
      const problem = findExtentProblem(entry, byteLength);
      return problem === undefined ? [] : [`${entry.name}: ${problem}, ${name} of ${byteLength} bytes`];
    });
    const end = header.tensors.at(-1)?.end ?? byteLength;
    if (end < byteLength) damage.push(`${name}: has ${byteLength - end} bytes behind its tensors`);
    return { shapes, damage };
  } catch (error) {
    if (isAccessError(error) && error.code !== "ENOENT") throw unreadable(error, name);
    return { shapes, damage: [`${name}: ${describeDamage(error)}`] };
  }
}

function describeDamage(error: unknown): string {
  if (isAccessError(error)) return "is missing";
  return error instanceof Error ? error.message : String(error);
}

/** Errors of the file system have a system call; those about the content have none. */
function isAccessError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** @param file default: the folder itself */
function unreadable(error: unknown, file?: string): UnreadableCheckpointError {
  const code = isAccessError(error) ? (error.code ?? "") : String(error);
  if (file !== undefined) return new UnreadableCheckpointError(`cannot be read by the proxy (${file}: ${code})`);
  if (code === "ENOENT") return new UnreadableCheckpointError("does not exist on the proxy's machine");
  if (code === "ENOTDIR") return new UnreadableCheckpointError("is not a folder");
  return new UnreadableCheckpointError(`cannot be read by the proxy (${code})`);
}
