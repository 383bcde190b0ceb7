import type { BatchTensorLayout, GivenTensor, PlanRows } from "../../native/contract.js";
import { endsStep, type Steps } from "../../support/async/steps.js";
import type { BatchMetadata } from "./batch-metadata.js";
import type { BatchOptions } from "./batch-options.js";
import { at, type ExportPlan, findOwner } from "./plan.js";

/** Rows of one step. They take a fraction of a millisecond. */
const STEP_ROWS = 256;

/** The values of each image of each row. docs/reference/batch-format.md describes them. */
const COLUMNS = ["row", "file", "offset", "length", "width", "height"] as const;

type ImageColumns = Record<(typeof COLUMNS)[number], number>;

/** The file of an image of a batch. */
export interface BatchImage {
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The part of a batch that concerns images. Empty if no row has an image. */
export interface ImageParts {
  readonly tensors: readonly GivenTensor[];
  readonly metadata: BatchMetadata;
  /** The files that are not in a tensor. */
  readonly files: readonly BatchImage[];
}

const NONE: ImageParts = { tensors: [], metadata: {}, files: [] };

/** The tensors of image files. A batch whose image files are beside it lacks them. */
export const FILE_TENSORS: ReadonlySet<string> = new Set(["image_bytes_offsets", "image_bytes"]);

/** Returns the folder beside a batch in which its image files are, if they are not in a tensor. */
export const imageFolderOf = (batch: string): string => `${batch}.images`;

/** Returns the name of an image file in {@link imageFolderOf}, such as `<sha256>.png`. */
export const imageFileName = ({ sha256, mediaType }: Pick<BatchImage, "sha256" | "mediaType">): string =>
  `${sha256}.${mediaType.replace(/^.*\//, "")}`;

/**
 * Makes the tensors and metadata of the images of a plan's rows. Each file is included once. No session may be freed until the batch is
 * packed.
 */
export function* makeImageParts(
  plan: ExportPlan,
  options: Pick<BatchOptions, "layout" | "imageBytes" | "padSide" | "padToMultipleOf">,
): Steps<ImageParts> {
  if (plan.sessions.every((session) => session?.data.images.isEmpty ?? true)) return NONE;
  const { layout, imageBytes } = options;
  const files: BatchImage[] = [];
  const indices = new Map<string, number>();
  const images: ImageColumns[] = [];
  for (let row = 0; row < plan.native.rows.length; row++) {
    if (endsStep(row, STEP_ROWS)) yield;
    for (const { file, ...place } of listImages(plan, row, layout)) {
      const index = indices.get(file.sha256) ?? files.push(file) - 1;
      indices.set(file.sha256, index);
      images.push({ row, file: index, ...place });
    }
  }
  if (images.length === 0) return NONE;
  const described = files.map(({ sha256, mediaType }) => ({ sha256, media_type: mediaType }));
  const isTensor = imageBytes === "tensor";
  const types = yield* markTokens(plan, images, options);
  return {
    tensors: [...toColumns(images), types, ...(isTensor ? toFileTensors(files) : [])],
    metadata: { images: JSON.stringify(described) },
    files: isTensor ? [] : files,
  };
}

/** Makes the tensor that is 1 at tokens of images, in the shape of the tensors of tokens. */
function* markTokens(
  plan: ExportPlan,
  images: readonly ImageColumns[],
  options: Pick<BatchOptions, "layout" | "padSide" | "padToMultipleOf">,
): Steps<GivenTensor> {
  const { starts, shape } = yield* layOutRows(plan, options);
  const types = new Uint8Array(shape.reduce((product, size) => product * size, 1));
  for (const [i, { row, offset, length }] of images.entries()) {
    if (endsStep(i, STEP_ROWS)) yield;
    const start = at(starts, row) + offset;
    types.fill(1, start, start + length);
  }
  return { name: "mm_token_type_ids", dtype: "U8", shape, parts: [types] };
}

/** The places of rows in the tensors of tokens. */
interface RowPlaces {
  /** Index of the first token of each row, counted over the whole tensor. */
  readonly starts: Float64Array;
  /** The shape of these tensors. */
  readonly shape: readonly number[];
}

function* layOutRows(
  { native: { rows }, sessions }: ExportPlan,
  { layout, padSide, padToMultipleOf }: Pick<BatchOptions, "layout" | "padSide" | "padToMultipleOf">,
): Steps<RowPlaces> {
  const starts = new Float64Array(rows.length);
  const longest = rows.lengths.reduce((most, length) => Math.max(most, length), 0);
  const width = Math.ceil(longest / padToMultipleOf) * padToMultipleOf;
  let next = 0;
  for (let row = 0; row < rows.length; row++) {
    if (endsStep(row, STEP_ROWS)) yield;
    const length = at(rows.lengths, row);
    starts[row] = layout === "padded" && padSide === "left" ? next + width - length : next;
    next += layout === "padded" ? width : length - (layout === "tree" ? countShared(rows, sessions, row) : 0);
  }
  return { starts, shape: layout === "padded" ? [rows.length, width] : [next] };
}

/** Returns the number of first tokens that a node of a tree shares with its ancestors. The tensors have them at the ancestors. */
function countShared(rows: PlanRows, sessions: ExportPlan["sessions"], row: number): number {
  return findOwner(rows, sessions, row).tokens.interaction(at(rows.interactions, row)).sharedTokens;
}

interface RowImage extends Omit<ImageColumns, "row" | "file"> {
  readonly file: BatchImage;
}

/** Lists the images that a row contains completely. In a tree batch, only those among the node's own tokens. */
function listImages({ native: { rows }, sessions }: ExportPlan, row: number, layout: BatchTensorLayout): RowImage[] {
  const session = findOwner(rows, sessions, row);
  const interaction = session.interaction(at(rows.interactions, row));
  if (!interaction.images) return [];
  const start = layout === "tree" ? countShared(rows, sessions, row) : 0;
  const end = at(rows.lengths, row);
  return interaction.images.flatMap(({ sha256, mediaType, width, height, offset, length }): RowImage[] => {
    if (offset < start || offset + length > end) return [];
    const bytes = session.imageFile(sha256);
    if (!bytes) throw new Error(`Session ${session.id} lacks the file of image ${sha256}.`);
    return [{ file: { sha256, mediaType, bytes }, offset: offset - start, length, width, height }];
  });
}

function toColumns(images: readonly ImageColumns[]): GivenTensor[] {
  return COLUMNS.map((name) => {
    const values = Int32Array.from(images, (image) => image[name]);
    return { name: `image_${name}`, dtype: "I32", shape: [images.length], parts: [toBytes(values)] };
  });
}

function toFileTensors(files: readonly BatchImage[]): GivenTensor[] {
  const offsets = new BigInt64Array(files.length + 1);
  files.forEach(({ bytes }, i) => (offsets[i + 1] = (offsets[i] ?? 0n) + BigInt(bytes.length)));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return [
    { name: "image_bytes_offsets", dtype: "I64", shape: [files.length + 1], parts: [toBytes(offsets)] },
    { name: "image_bytes", dtype: "U8", shape: [total], parts: files.map(({ bytes }) => bytes) },
  ];
}

function toBytes(values: Int32Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
