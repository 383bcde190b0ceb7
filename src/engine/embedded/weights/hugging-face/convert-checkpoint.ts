import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../engine.js";
import type { ModelTemplate } from "../model-template.js";
import { CheckpointFiles } from "./checkpoint-files.js";
import { readHuggingFaceConfig } from "./hugging-face-config.js";
import { planConversion } from "./plan-conversion.js";
import { writeGguf } from "./write-gguf.js";

/** A GGUF file that is deleted when it is disposed of. */
export interface TemporaryGguf extends AsyncDisposable {
  readonly path: string;
}

/**
 * Converts a Hugging Face folder to a GGUF file in the folder for temporary files, with the metadata and the vocabulary of
 * the model in use.
 *
 * @throws EngineError if the folder has another model, or a file is missing or damaged
 */
export async function convertCheckpoint(folder: string, template: ModelTemplate): Promise<TemporaryGguf> {
  if (template.metadata.split) {
    const message = `${folder}: safetensors cannot be loaded, because the model in use is split into several GGUF files.`;
    throw new EngineError("engine_error", message);
  }
  const config = await readHuggingFaceConfig(folder, template);
  await using files = await CheckpointFiles.open(folder);
  const plan = planConversion(folder, files, config, template);
  const draft = await mkdtemp(join(tmpdir(), "rolltape-weights-"));
  const remove = () => rm(draft, { recursive: true, force: true });
  try {
    const path = join(draft, "model.gguf");
    await writeGguf(path, template.metadata, plan);
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
