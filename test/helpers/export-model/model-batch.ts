import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { modelImages } from "./images.js";
import type { ModelledSession } from "./modelled-session.js";
import { buildCodes, buildRowTensors, buildTurnTensors } from "./row-tensors.js";
import { type ModelRow, relateRows, rowsOf } from "./rows.js";
import { bool, described, i32, type ModelBatch, perToken, rewardsOf } from "./tensors.js";
import { treeBatch } from "./tree.js";

/** Returns the expected batch of these sessions, if the options refuse none of them. */
export function modelBatch(sessions: readonly ModelledSession[], options: BatchOptionsInput): ModelBatch {
  const { style = "individual", discount = 1, concatReward = "leaf", layout = "padded", rowTensors = true } = options;
  if (layout === "tree")
    return treeBatch(sessions, { discount, rowTensors, imageBytes: options.imageBytes, filters: options });
  const all = sessions.flatMap((session) => rowsOf(session, { style, discount, concatReward, filters: options }));
  const rows = relateRows(limited(all, options), options.sharedTurns ?? "every");
  const tensors = layout === "packed" ? packed(rows) : padded(rows, options);
  const codes = buildCodes(rows, options.turns ?? false);
  const images = modelImages(rows, false, options);
  return {
    rows: rows.map(described),
    tensors: {
      ...tensors,
      ...images?.tensors,
      ...(rowTensors && buildRowTensors(rows, sessions, codes, discount)),
      ...(rowTensors && options.turns && buildTurnTensors(rows, codes)),
    },
    images: images?.images,
    codes,
    uncounted: rows.flatMap(({ uncounted }, i) => (uncounted ? [i] : [])),
  };
}

function limited(rows: readonly ModelRow[], { maxLength, overflow }: BatchOptionsInput): readonly ModelRow[] {
  if (maxLength === undefined) return rows;
  if (overflow === "drop") return rows.filter((row) => row.ids.length <= maxLength);
  const cut = (numbers: readonly number[]) => numbers.slice(0, maxLength);
  return rows.map((row) => ({
    ...row,
    isCut: row.ids.length > maxLength,
    ids: cut(row.ids),
    lossMask: cut(row.lossMask),
    logprobs: cut(row.logprobs),
    versions: cut(row.versions),
  }));
}

function padded(rows: readonly ModelRow[], options: BatchOptionsInput): ModelBatch["tensors"] {
  const { padTokenId = 0, padSide = "right", padToMultipleOf = 1 } = options;
  let width = Math.max(0, ...rows.map((row) => row.ids.length));
  while (width % padToMultipleOf !== 0) width++;
  const shape = [rows.length, width];
  const lay = (of: (row: ModelRow) => readonly number[], filler: number) =>
    rows.flatMap((row) => {
      const padding = Array<number>(width - row.ids.length).fill(filler);
      return padSide === "left" ? [...padding, ...of(row)] : [...of(row), ...padding];
    });
  const attention = lay((row) => row.ids.map(() => 1), 0);
  return { ...perToken(lay, shape, padTokenId), attention_mask: bool(attention, shape), rewards: rewardsOf(rows) };
}

function packed(rows: readonly ModelRow[]): ModelBatch["tensors"] {
  const lay = (of: (row: ModelRow) => readonly number[]) => rows.flatMap(of);
  const positions = lay((row) => row.ids.map((_, i) => i));
  const shape = [positions.length];
  const starts = [0];
  for (const row of rows) starts.push((starts.at(-1) ?? 0) + row.ids.length);
  return {
    ...perToken(lay, shape),
    position_ids: i32(positions, shape),
    attention_mask: bool(
      positions.map(() => 1),
      shape,
    ),
    cu_seqlens: i32(starts, [rows.length + 1]),
    rewards: rewardsOf(rows),
  };
}
