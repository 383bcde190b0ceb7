import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { type PlacedImages, placeImages } from "../../../src/session/place-images.js";
import { digestOf, makePng } from "../images.js";
import type { Turn } from "./modelled-session.js";
import { type ModelRow, sharedWithParent } from "./rows.js";
import { i32, i64, type ModelTensor, u8 } from "./tensors.js";

/** The token of an image in a prompt. Outputs have it too, where it stands for nothing. */
const IMAGE_TOKEN = 3;
const FILES = [makePng(4, 3), makePng(5, 3), makePng(6, 3)];

interface ModelImage {
  readonly offset: number;
  /** Index of its file. */
  readonly file: number;
}

/** Returns the images of a prompt: those of its parent among the tokens that it shares, and others after them. */
function listImages(turn: Turn, turns: readonly Turn[]): ModelImage[] {
  const parent = turns[turn.parent];
  const shared = sharedWithParent(turn, turns);
  const inherited = parent ? listImages(parent, turns).filter(({ offset }) => offset < shared) : [];
  const own = turn.prompt.flatMap((id, offset): ModelImage[] =>
    offset >= shared && id === IMAGE_TOKEN ? [{ offset, file: offset % FILES.length }] : [],
  );
  return [...inherited, ...own];
}

/** Returns the images of a prompt as a session records them. */
export function placeModelImages(turn: Turn, turns: readonly Turn[]): PlacedImages {
  return placeImages(
    listImages(turn, turns).map(({ offset, file }) => ({ offset, length: 1, bytes: FILES[file] ?? new Uint8Array() })),
  );
}

interface ImageBatch {
  readonly tensors: Readonly<Record<string, ModelTensor>>;
  /** The metadata. */
  readonly images: readonly object[];
}

/**
 * Returns what a batch has for the images of its rows; undefined if there are none.
 *
 * @param isTree true: each row has the tokens that it does not share with its parent's
 */
export function modelImages(
  rows: readonly ModelRow[],
  isTree: boolean,
  { imageBytes, layout = "padded", padSide, padToMultipleOf = 1 }: BatchOptionsInput,
): ImageBatch | undefined {
  const findStart = ({ session: { turns }, interactionId }: ModelRow) => {
    const turn = turns.find(({ id }) => id === interactionId);
    return turn && isTree ? sharedWithParent(turn, turns) : 0;
  };
  const found = rows.flatMap((modelRow, row) => {
    const { interactionId, ids, session } = modelRow;
    const { turns } = session;
    const turn = turns.find(({ id }) => id === interactionId);
    if (!turn) return [];
    const start = findStart(modelRow);
    return listImages(turn, turns)
      .filter(({ offset }) => offset >= start && offset < ids.length)
      .map(({ offset, file }) => ({ row, offset: offset - start, file }));
  });
  if (found.length === 0) return undefined;
  const used = [...new Set(found.map(({ file }) => file))];
  const files = used.map((file) => FILES[file] ?? new Uint8Array());
  const column = (value: (image: (typeof found)[number]) => number) => i32(found.map(value), [found.length]);
  const ends = files.map((_, i) => files.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const bytes = files.flatMap((file) => [...file]);
  const types = rows.map((modelRow, row) => {
    const isImage = (token: number) => found.some((image) => image.row === row && image.offset === token);
    return modelRow.ids.slice(findStart(modelRow)).map((_, token) => Number(isImage(token)));
  });
  let width = Math.max(...types.map(({ length }) => length));
  while (width % padToMultipleOf !== 0) width++;
  const padded = types.flatMap((row) => {
    const padding = Array<number>(width - row.length).fill(0);
    return padSide === "left" ? [...padding, ...row] : [...row, ...padding];
  });
  return {
    tensors: {
      image_row: column(({ row }) => row),
      image_file: column(({ file }) => used.indexOf(file)),
      image_offset: column(({ offset }) => offset),
      image_length: column(() => 1),
      image_width: column(({ file }) => 4 + file),
      image_height: column(() => 3),
      mm_token_type_ids:
        layout === "padded" && !isTree ? u8(padded, [rows.length, width]) : u8(types.flat(), [types.flat().length]),
      ...(imageBytes !== "files" && {
        image_bytes_offsets: i64([0, ...ends], [files.length + 1]),
        image_bytes: u8(bytes, [bytes.length]),
      }),
    },
    images: files.map((file) => ({ sha256: digestOf(file), media_type: "image/png" })),
  };
}
