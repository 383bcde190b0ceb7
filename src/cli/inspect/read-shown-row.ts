import { readRows } from "../../batch-file/batch-rows.js";
import { BatchTokens } from "../../batch-file/batch-tokens.js";
import { decodeTokens } from "../../batch-file/token-texts.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import type { TensorFile } from "../../support/safetensors/tensor-file.js";
import type { ShownRow } from "./row-text.js";

/**
 * Reads one row with the text of its tokens.
 *
 * @param model folder of the model; undefined: the tokens have no text
 * @throws BatchRowError if the file has no such row
 * @throws SafetensorsError if the file lacks a tensor that its layout has
 */
export async function readShownRow(file: TensorFile, row: number, model: string | undefined): Promise<ShownRow> {
  const rows = readRows(file.header);
  const entry = rows[row];
  if (!entry) throw new BatchRowError(row, rows.length);
  const missing = TENSORS.find((name) => !file.header.tensors.some((tensor) => tensor.name === name));
  if (missing !== undefined) throw new SafetensorsError(`it has no tensor ${missing}`);
  const batch = await BatchTokens.read(file);
  if (!batch) throw new SafetensorsError("it has no layout of Rolltape");
  const tokens = await batch.read(row, 0, batch.length(row));
  const reward = await readReward(file, row, rows.length);
  const shown = { row, entry, reward, tokens };
  if (model === undefined) return { ...shown, texts: undefined, warnings: [NO_MODEL] };
  // Imported late: other reports need no tokenizer.
  const { loadEntries } = await import("../../batch-file/load-entries.js");
  const { entries, digest } = await loadEntries(model);
  const differs = batch.modelDigest !== undefined && batch.modelDigest !== digest;
  return { ...shown, texts: decodeTokens(entries, tokens.ids, true), warnings: differs ? [otherModel(model)] : [] };
}

const TENSORS = ["input_ids", "logprobs", "loss_mask", "versions"];

const NO_MODEL = "tokens are shown as ids; --model FOLDER shows their text";

function otherModel(folder: string): string {
  return `the tokenizer or chat template in ${folder} is not that of the batch (model_digest): the text may be wrong`;
}

async function readReward(file: TensorFile, row: number, count: number): Promise<number | undefined> {
  const rewards = (await file.values("rewards", count)) ?? (await file.values("node_rewards", count));
  return rewards?.[row];
}

/** The row that a user asks for does not exist. */
class BatchRowError extends Error {
  override readonly name = "BatchRowError";

  constructor(row: number, count: number) {
    const range = count === 0 ? "the file lists no rows" : `rows are numbered from 0 to ${count - 1}`;
    super(`--text ${row}: ${range}`);
  }
}
