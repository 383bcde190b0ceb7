import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { TensorFile } from "../../../../support/safetensors/tensor-file.js";
import { EngineError } from "../../../engine.js";
import { requireRegularFile } from "../regular-file.js";
const SINGLE_FILE = "model.safetensors";
const INDEX_FILE = "model.safetensors.index.json";
const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });
/** The safetensors files of a Hugging Face folder, one or several. Like transformers, prefers `model.safetensors` to an index. */
export class CheckpointFiles {
    tensors = new Map();
    #files = [];
    constructor() { }
    /** @throws EngineError that names the file */
    static async open(folder) {
        const files = new CheckpointFiles();
        try {
            if (await isFile(join(folder, SINGLE_FILE)))
                await files.#addFile(folder, SINGLE_FILE);
            else
                await files.#addShards(folder);
            return files;
        }
        catch (error) {
            await files[Symbol.asyncDispose]();
            throw error;
        }
    }
    async [Symbol.asyncDispose]() {
        await Promise.all(this.#files.map((file) => file[Symbol.asyncDispose]()));
    }
    async #addShards(folder) {
        const path = join(folder, INDEX_FILE);
        if (!(await isFile(path))) {
            throw new EngineError("engine_error", `${folder} has neither ${SINGLE_FILE} nor ${INDEX_FILE}.`);
        }
        const shards = await readIndex(path);
        for (const [shard, names] of shards)
            await this.#addFile(folder, shard, names);
    }
    /** @param names the tensors to take from the file. Default: all. */
    async #addFile(folder, name, names) {
        const path = join(folder, name);
        const file = await openFile(path);
        this.#files.push(file);
        for (const entry of file.header.tensors) {
            if (!names || names.has(entry.name))
                this.tensors.set(entry.name, { path, file, entry });
        }
        const missing = [...(names ?? [])].find((each) => !this.tensors.has(each));
        if (missing)
            throw new EngineError("engine_error", `${path}: tensor ${missing} is missing, but the index names it.`);
    }
}
/** Returns the names of the tensors by file. */
async function readIndex(path) {
    const invalid = (cause) => {
        return new EngineError("engine_error", `${path} is not an index of safetensors files.`, { cause });
    };
    let index;
    try {
        index = indexSchema.parse(JSON.parse(await readFile(path, "utf8")));
    }
    catch (error) {
        throw invalid(error);
    }
    const shards = new Map();
    for (const [tensor, shard] of Object.entries(index.weight_map)) {
        if (basename(shard) !== shard)
            throw invalid(undefined);
        shards.set(shard, (shards.get(shard) ?? new Set()).add(tensor));
    }
    return shards;
}
async function openFile(path) {
    try {
        await requireRegularFile(path);
        return await TensorFile.open(path);
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new EngineError("engine_error", `${path} cannot be read: ${reason}`, { cause });
    }
}
function isFile(path) {
    return stat(path).then((found) => found.isFile(), () => false);
}
//# sourceMappingURL=checkpoint-files.js.map