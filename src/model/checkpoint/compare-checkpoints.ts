import { join } from "node:path";
import { z } from "zod";
import { readRegularFile } from "../../support/regular-file.js";
import { type Checkpoint, readCheckpoint, UnreadableCheckpointError } from "./read-checkpoint.js";

export type Comparison =
  /** Each problem names a tensor or a file, and says what is wrong. Empty if the checkpoint is complete. */
  | { readonly isCompared: true; readonly problems: readonly string[] }
  /** `reason` is a main clause. */
  | { readonly isCompared: false; readonly reason: string };

/**
 * Compares a checkpoint with the model that it is for: the engine loads it only if it has all tensors in their shapes. Types may
 * differ, and additional tensors are ignored.
 *
 * @param folder of the checkpoint
 * @param modelFolder of the model
 * @param signal ends the comparison: rejects with its reason
 */
export async function compareCheckpoints(
  folder: string,
  modelFolder: string,
  signal: AbortSignal,
): Promise<Comparison> {
  try {
    const checkpoint = await readNamed("path", folder, signal);
    const model = await readNamed("model.path", modelFolder, signal);
    const [config, modelConfig] = await Promise.all([readCheckpointConfig(folder), readCheckpointConfig(modelFolder)]);
    const reason = findObstacle(model, modelConfig, config);
    return reason === undefined
      ? { isCompared: true, problems: findProblems(checkpoint, model, modelConfig) }
      : { isCompared: false, reason };
  } catch (error) {
    if (error instanceof UnreadableCheckpointError) return { isCompared: false, reason: error.message };
    throw error;
  }
}

async function readNamed(name: string, folder: string, signal: AbortSignal): Promise<Checkpoint> {
  try {
    return await readCheckpoint(folder, signal);
  } catch (error) {
    if (!(error instanceof UnreadableCheckpointError)) throw error;
    throw new UnreadableCheckpointError(`\`${name}\` ${error.message}`);
  }
}

/** Returns why a checkpoint cannot be compared with the model; undefined if it can. */
function findObstacle(
  { shapes, damage }: Checkpoint,
  modelConfig: CheckpointConfig | undefined,
  config: CheckpointConfig | undefined,
): string | undefined {
  if (damage[0] !== undefined) return `\`model.path\` is damaged (${damage[0]})`;
  if (shapes.size === 0) return "`model.path` has no weights";
  if (!config || !modelConfig || config.quantization === modelConfig.quantization) return undefined;
  // A quantized layer has other tensors.
  const [ours, its] = [modelConfig, config].map(({ quantization = "none" }) => quantization);
  return `the weights are quantized differently (\`model.path\`: ${ours}, \`path\`: ${its})`;
}

function findProblems(checkpoint: Checkpoint, model: Checkpoint, config: CheckpointConfig | undefined): string[] {
  const misshapen: string[] = [];
  const missing: string[] = [];
  for (const [name, expected] of model.shapes) {
    const shape = checkpoint.shapes.get(name);
    if (shape === undefined) {
      if (!isOptional(name, config)) missing.push(`${name}: is missing`);
    } else if (String(shape) !== String(expected)) {
      misshapen.push(`${name}: has the shape [${shape.join(", ")}] instead of [${expected.join(", ")}]`);
    }
  }
  // Tensors of a damaged file are missing because of the damage.
  return [...checkpoint.damage, ...misshapen, ...missing];
}

const OUTPUT_MATRIX = /(?:^|\.)lm_head\.weight$/;
/** Buffers that old checkpoints have although they are computed. */
const COMPUTED = /\.(?:rotary_emb\.inv_freq|(?:attn|attention)\.(?:masked_)?bias)$/;
/** Layers that predict further tokens, under their own name or behind the last layer. Trainers often leave them out. */
const PREDICTION_LAYERS = /^(?:model\.)?mtp[._]/;
const LAYER = /^(?:(?:model|language_model)\.){0,3}layers\.(\d+)\./;

function isOptional(name: string, config: CheckpointConfig | undefined): boolean {
  if (COMPUTED.test(name) || PREDICTION_LAYERS.test(name)) return true;
  if (config?.tied && OUTPUT_MATRIX.test(name)) return true;
  const layer = LAYER.exec(name)?.[1];
  return layer !== undefined && config?.layers !== undefined && Number(layer) >= config.layers;
}

/** The fields of config.json that say which tensors a checkpoint must have. */
interface CheckpointConfig {
  /** The embedding is also the output matrix. */
  readonly tied: boolean;
  readonly layers: number | undefined;
  /** Undefined if the weights are not quantized, or if there is no config.json. */
  readonly quantization: string | undefined;
}

const MAX_BYTES = 2 ** 20;

const languageModel = {
  tie_word_embeddings: z.boolean().nullish().catch(undefined),
  num_hidden_layers: z.int().nullish().catch(undefined),
};
const configSchema = z.object({
  ...languageModel,
  /** Models that also take images have the fields of the language model here. */
  text_config: z.object(languageModel).nullish().catch(undefined),
  quantization_config: z
    .object({ quant_method: z.string().catch("unknown") })
    .nullish()
    .catch(undefined),
});

/** Returns undefined if the folder has no config.json, or one that cannot be read. */
async function readCheckpointConfig(folder: string): Promise<CheckpointConfig | undefined> {
  try {
    const config = configSchema.parse(JSON.parse(await readRegularFile(join(folder, "config.json"), MAX_BYTES)));
    return {
      tied: config.tie_word_embeddings ?? config.text_config?.tie_word_embeddings ?? false,
      layers: config.num_hidden_layers ?? config.text_config?.num_hidden_layers ?? undefined,
      quantization: config.quantization_config?.quant_method,
    };
  } catch {
    return undefined;
  }
}
