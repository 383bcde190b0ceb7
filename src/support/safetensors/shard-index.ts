import { basename } from "node:path";
import { z } from "zod";
import { readRegularFile } from "../regular-file.js";

/** The file that names the safetensors files of a Hugging Face folder with several. */
export const INDEX_FILE = "model.safetensors.index.json";

/** The index of a model with 100,000 tensors has 10 MB. */
const MAX_BYTES = 64 * 2 ** 20;

const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Returns the names of the tensors by file. Rejects if the file is not an index. */
export async function readShardIndex(path: string): Promise<Map<string, Set<string>>> {
  const { weight_map } = indexSchema.parse(JSON.parse(await readRegularFile(path, MAX_BYTES)));
  const shards = new Map<string, Set<string>>();
  for (const [tensor, shard] of Object.entries(weight_map)) {
    if (basename(shard) !== shard) throw new Error("it names a file of another folder");
    shards.set(shard, (shards.get(shard) ?? new Set()).add(tensor));
  }
  return shards;
}
