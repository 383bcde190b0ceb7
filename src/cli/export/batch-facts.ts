import { z } from "zod";
import type { BatchOptionsInput } from "../../session/batch/batch-options.js";
import { filterFields } from "../../session/batch/row-filter.js";
import type { Header } from "../../support/safetensors/read-header.js";
import { StorageCommandError } from "../storage/errors.js";
import { hasImageFiles } from "./image-files.js";

/** The options with which a batch was exported, as far as its metadata names them. */
export type BatchFacts = Pick<BatchOptionsInput, "layout" | "style" | "discount" | "concatReward" | "imageBytes"> &
  Pick<BatchOptionsInput, keyof typeof filterFields>;

const facts = z.object({
  layout: z.enum(["padded", "packed", "tree"]),
  style: z.enum(["individual", "concat"]),
  discount: z.coerce.number(),
  concat_reward: z.enum(["leaf", "return"]).optional(),
  filters: z.string().default("{}"),
});

const filters = z.object({
  models: filterFields.models,
  exclude_models: filterFields.excludeModels,
  tags: filterFields.tags,
  roots: filterFields.roots.optional(),
  overlong: filterFields.overlong.optional(),
});

/**
 * Reads the options with which a batch was exported from its metadata.
 *
 * @throws StorageCommandError `invalid_arguments` if the file is no batch of Rolltape
 */
export function readBatchFacts(file: string, header: Header): BatchFacts {
  try {
    const { filters: text, concat_reward: concatReward, ...others } = facts.parse(header.metadata);
    const { exclude_models: excludeModels, ...filter } = filters.parse(JSON.parse(text));
    const imageBytes = hasImageFiles(header) ? "files" : undefined;
    const all = { ...others, concatReward, ...filter, excludeModels, imageBytes };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  } catch (cause) {
    const message = `--from ${file} must be a sessions file or a batch of Rolltape; its metadata has no export options`;
    throw new StorageCommandError("invalid_arguments", message, { cause });
  }
}
