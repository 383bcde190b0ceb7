import { join } from "node:path";
import { z } from "zod";
import { readRegularFile } from "../../support/regular-file.js";

/** The fields of config.json that say which tensors a checkpoint must have. */
export interface CheckpointConfig {
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
export async function readCheckpointConfig(folder: string): Promise<CheckpointConfig | undefined> {
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
