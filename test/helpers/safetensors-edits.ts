/** Changes single values of a batch file, to test its readers. */

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}
type Header = Record<string, Entry> & { readonly __metadata__: Record<string, string> };

export interface RowOfMetadata {
  readonly session_id: string;
  readonly interaction_id: string;
  readonly length: number;
}

/** Position of a value: a column of a row, or with `at`, one token of the row. */
export interface Place {
  readonly row: number;
  readonly at?: number;
}

/** Returns a copy of a padded or packed batch with one value changed. */
export function changeValue(file: Uint8Array, name: string, { row, at }: Place, value: number): Uint8Array {
  const copy = Uint8Array.from(file);
  const view = new DataView(copy.buffer);
  const { header, dataAt } = readHeader(copy);
  const find = (tensor: string): Entry => {
    const entry = header[tensor];
    if (!entry) throw new Error(`the batch has no ${tensor}`);
    return entry;
  };
  const { dtype, shape, data_offsets } = find(name);
  const [rows, width] = shape;
  if (rows === undefined) throw new Error(`${name} has no shape`);
  const firstToken = () =>
    width === undefined ? view.getInt32(dataAt + find("cu_seqlens").data_offsets[0] + 4 * row, true) : row * width;
  const index = at === undefined ? row : firstToken() + at;
  const start = dataAt + data_offsets[0];
  if (dtype === "BOOL") view.setUint8(start + index, value);
  else if (dtype === "F32") view.setFloat32(start + 4 * index, value, true);
  else view.setInt32(start + 4 * index, value, true);
  return copy;
}

/** Returns a copy of a batch with changed descriptions of its rows. Leaves out rows for which `change` returns undefined. */
export function changeRows(
  file: Uint8Array,
  change: (row: RowOfMetadata, index: number) => RowOfMetadata | undefined,
): Uint8Array {
  const { header, dataAt } = readHeader(file);
  const rows = JSON.parse(header.__metadata__["rows"] ?? "[]") as RowOfMetadata[];
  const changed = rows.flatMap((row, index) => change(row, index) ?? []);
  const metadata = { ...header.__metadata__, rows: JSON.stringify(changed) };
  const text = Buffer.from(JSON.stringify({ ...header, __metadata__: metadata }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return new Uint8Array(Buffer.concat([length, text, file.subarray(dataAt)]));
}

function readHeader(file: Uint8Array): { readonly header: Header; readonly dataAt: number } {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const dataAt = 8 + length;
  return { header: JSON.parse(Buffer.from(file.subarray(8, dataAt)).toString()) as Header, dataAt };
}
