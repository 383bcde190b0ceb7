import { readLabel } from "./columns.js";
import type { InspectedBatch } from "./inspect-batch.js";
import type { ShownRow } from "./row-text.js";
import { listWarnings } from "./warnings.js";

/**
 * Returns what `rolltape inspect --json` prints.
 *
 * @param listed number of rows to list
 */
export function reportJson(file: string, batch: InspectedBatch, listed: number): object {
  const { byteLength, header, rows, rewards, episodeRewards, lossTokens, versions, columns } = batch;
  const described = rows.slice(0, listed).map((row, index) => ({
    row: index,
    ...row,
    reward: rewards[index] ?? null,
    columns: Object.fromEntries(
      [...columns].map(([name, column]) => [
        name,
        column.labels.length > 0 ? (readLabel(column, index) ?? null) : (column.values[index] ?? null),
      ]),
    ),
  }));
  return {
    file,
    bytes: byteLength,
    tensors: header.tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape })),
    // Its values are texts, some of which are JSON. The list of rows is below.
    metadata: Object.fromEntries(Object.entries(header.metadata).filter(([name]) => name !== "rows")),
    row_count: rows.length,
    tokens: rows.reduce((total, { length }) => total + length, 0),
    loss_tokens: lossTokens,
    versions: Object.fromEntries([...versions].map(([version, count]) => [String(version), count])),
    rewards: [...rewards],
    episode_rewards: [...episodeRewards],
    rows: described,
    warnings: listWarnings(batch),
  };
}

/** Returns what `rolltape inspect --text --json` prints. */
export function rowJson({ row, entry, reward, tokens, texts, warnings }: ShownRow): object {
  return {
    row,
    ...entry,
    reward: reward ?? null,
    ids: [...tokens.ids],
    texts: texts ?? null,
    logprobs: [...tokens.logprobs],
    loss_mask: [...tokens.lossMask],
    versions: [...tokens.versions],
    warnings,
  };
}
