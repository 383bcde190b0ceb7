/** An independent reader of safetensors for tests: header, then each tensor as plain numbers. */
export interface SafeTensors {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: Readonly<Record<string, { dtype: string; shape: number[]; data: number[] }>>;
}

type Header = Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;

export function readSafetensors(file: Uint8Array): SafeTensors {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerLength = Number(view.getBigUint64(0, true));
  const { __metadata__, ...entries } = JSON.parse(
    Buffer.from(file.subarray(8, 8 + headerLength)).toString(),
  ) as Header & { __metadata__: Record<string, string> };
  const data = Uint8Array.from(file.subarray(8 + headerLength));
  let end = 0;
  const tensors = Object.fromEntries(
    Object.entries(entries as Header).map(([name, { dtype, shape, data_offsets }]) => {
      end = Math.max(end, data_offsets[1]);
      return [name, { dtype, shape, data: decodeNumbers(dtype, data.buffer.slice(...data_offsets)) }];
    }),
  );
  if (end !== data.byteLength) throw new Error(`tensors end at ${end}, the file at ${data.byteLength}`);
  return { metadata: __metadata__, tensors };
}

function decodeNumbers(dtype: string, bytes: ArrayBuffer): number[] {
  if (dtype === "I32") return [...new Int32Array(bytes)];
  if (dtype === "U16") return [...new Uint16Array(bytes)];
  if (dtype === "F32") return [...new Float32Array(bytes)];
  if (dtype === "I64") return [...new BigInt64Array(bytes)].map(Number);
  if (dtype === "BOOL" || dtype === "U8") return [...new Uint8Array(bytes)];
  throw new Error(`unexpected dtype ${dtype}`);
}
