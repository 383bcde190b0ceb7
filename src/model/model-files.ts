import { join } from "node:path";
import { z } from "zod";
import { CodedError } from "../support/coded-error.js";
import { readRegularFile } from "../support/regular-file.js";
import { modelDigest } from "./model-digest.js";
import { type AddedToken, addedTokenSchema } from "./tokenizer/added-token.js";

export type ModelFolderErrorCode =
  /** A required file does not exist or cannot be read. */
  | "model_file_missing"
  /** The content of a file is invalid. */
  | "model_file_invalid"
  /** No chat template in the folder. */
  | "chat_template_missing"
  /** The chat template does not parse, or refuses a single user message. */
  | "chat_template_invalid";

/** A Hugging Face model folder that cannot be used. The message names the file. */
export class ModelFolderError extends CodedError<ModelFolderErrorCode> {
  override readonly name = "ModelFolderError";
}

const tokenId = z.int().min(0);
const stopIds = z.union([tokenId, z.array(tokenId)]).nullish();
/** A special token is its text, or an object that contains the text. */
const specialToken = z
  .union([z.string(), z.object({ content: z.string() }).transform((token) => token.content)])
  .nullish();

const addedTokensDecoder = z.record(z.string(), addedTokenSchema.omit({ id: true }));

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(addedTokenSchema).default([]),
  model: z.looseObject({}),
  normalizer: z.unknown().optional(),
});

const tokenizerConfigSchema = z.looseObject({
  chat_template: z.union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))]).nullish(),
  added_tokens_decoder: addedTokensDecoder.nullish(),
  bos_token: specialToken,
  eos_token: specialToken,
  pad_token: specialToken,
  unk_token: specialToken,
});

const generationConfigSchema = z.looseObject({ eos_token_id: stopIds });
/** A field that tells which layers have experts. If a family gives it another form, it is ignored. */
const layerList = <T extends z.ZodType>(item: T) => z.array(item).nullish().catch(undefined);
const layerStep = z.int().min(1).nullish().catch(undefined);

/** Fields that are at the top of config.json, or in `text_config` for models that also take images. */
const languageModelFields = {
  eos_token_id: stopIds,
  max_position_embeddings: z.int().min(1).nullish(),
  vocab_size: z.int().min(1).nullish(),
  num_hidden_layers: z.int().min(1).nullish(),
  num_experts_per_tok: z.int().min(1).nullish(),
  num_experts: z.int().nullish(),
  num_local_experts: z.int().nullish(),
  n_routed_experts: z.int().nullish(),
  mlp_layer_types: layerList(z.string()),
  moe_layers: layerList(z.int()),
  mlp_only_layers: layerList(z.int()),
  decoder_sparse_step: layerStep,
  first_k_dense_replace: z.int().nullish().catch(undefined),
  moe_layer_freq: layerStep,
};
const languageModelSchema = z.looseObject(languageModelFields);
export type LanguageModelConfig = z.infer<typeof languageModelSchema>;
const configSchema = z.looseObject({
  ...languageModelFields,
  model_type: z.string().nullish(),
  text_config: languageModelSchema.nullish(),
  image_token_id: tokenId.nullish(),
  image_token_index: tokenId.nullish(),
  video_token_id: tokenId.nullish(),
  video_token_index: tokenId.nullish(),
});
/** The fields of an image processor's configuration that decide the number of an image's tokens. */
const imageProcessorSchema = z.looseObject({
  image_processor_type: z.string().nullish(),
  patch_size: z.int().min(1).nullish().catch(undefined),
  merge_size: z.int().min(1).nullish().catch(undefined),
  min_pixels: z.int().min(1).nullish(),
  max_pixels: z.int().min(1).nullish(),
  /** Of some families, a number or the sides of a crop. */
  size: z
    .looseObject({ shortest_edge: z.int().min(1).nullish(), longest_edge: z.int().min(1).nullish() })
    .nullish()
    .catch(undefined),
});
/** Newer versions of transformers write this file instead of preprocessor_config.json. */
const processorConfigSchema = z.looseObject({ image_processor: imageProcessorSchema.nullish() });

/** The content of a model folder, file by file. */
export interface ModelFiles {
  readonly tokenizer: z.infer<typeof tokenizerSchema> & { readonly added_tokens: readonly AddedToken[] };
  readonly tokenizerConfig: z.infer<typeof tokenizerConfigSchema>;
  readonly generationConfig: z.infer<typeof generationConfigSchema>;
  readonly config: z.infer<typeof configSchema>;
  /** preprocessor_config.json, or the part of processor_config.json about images. Undefined: the model has no images. */
  readonly imageProcessor: z.infer<typeof imageProcessorSchema> | undefined;
  /** chat_template.jinja, which takes precedence over the templates of tokenizer_config.json. */
  readonly chatTemplate: string | undefined;
  /** See {@link modelDigest}. */
  readonly digest: string;
}

/**
 * Reads a Hugging Face model folder: tokenizer.json and tokenizer_config.json, and if they exist chat_template.jinja,
 * generation_config.json, config.json, preprocessor_config.json and processor_config.json.
 *
 * @throws ModelFolderError if a file is missing or invalid
 */
export async function readModelFiles(folder: string): Promise<ModelFiles> {
  const tokenizer = await readJson(folder, "tokenizer.json", tokenizerSchema);
  const tokenizerConfig = await readJson(folder, "tokenizer_config.json", tokenizerConfigSchema);
  return {
    tokenizer: withAddedTokens(tokenizer, tokenizerConfig.added_tokens_decoder ?? {}),
    tokenizerConfig,
    generationConfig: await readJson(folder, "generation_config.json", generationConfigSchema, {}),
    config: await readJson(folder, "config.json", configSchema, {}),
    imageProcessor: await readImageProcessor(folder),
    chatTemplate: await readText(join(folder, "chat_template.jinja")),
    digest: await modelDigest(folder),
  };
}

async function readImageProcessor(folder: string): Promise<ModelFiles["imageProcessor"]> {
  const own = await readJson(folder, "preprocessor_config.json", imageProcessorSchema, {});
  if (own.image_processor_type) return own;
  const { image_processor: shared } = await readJson(folder, "processor_config.json", processorConfigSchema, {});
  return shared ?? undefined;
}

type TokenizerFile = z.infer<typeof tokenizerSchema>;

/** Adds the tokens that only tokenizer_config.json has, like `transformers` does. */
function withAddedTokens(tokenizer: TokenizerFile, decoder: z.infer<typeof addedTokensDecoder>): TokenizerFile {
  const known = new Set(tokenizer.added_tokens.map((token) => token.id));
  const configured = Object.entries(decoder).map(([id, token]) => ({ ...token, id: Number(id) }));
  const missing = configured.filter((token) => Number.isInteger(token.id) && !known.has(token.id));
  return { ...tokenizer, added_tokens: [...tokenizer.added_tokens, ...missing] };
}

/** @param ifMissing returned if the file does not exist; without it the file is required */
async function readJson<T>(folder: string, name: string, schema: z.ZodType<T>, ifMissing?: T): Promise<T> {
  const path = join(folder, name);
  const text = await readText(path);
  if (text === undefined) {
    if (ifMissing !== undefined) return ifMissing;
    throw new ModelFolderError("model_file_missing", `the model folder has no ${name}: ${path} does not exist`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new ModelFolderError("model_file_invalid", `${path} is not a valid ${name}: ${reason}`, { cause });
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR"))
      return undefined;
    throw new ModelFolderError("model_file_missing", `cannot read ${path}: ${String(cause)}`, { cause });
  }
}
