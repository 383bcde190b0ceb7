import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Folders } from "./script.js";

const FILE = "model.safetensors";

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Makes two copies of a model beside each other: one with other weights, one with a tensor of another shape. */
export function makeCheckpoints(model: string, beside: string): Folders {
  const folders = {
    other: join(beside, "other"),
    wrongShape: join(beside, "wrong-shape"),
    missing: join(beside, "none"),
  };
  rmSync(folders.missing, { recursive: true, force: true });
  const { header, data } = readFile(join(model, FILE));
  const values = new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  const other = Buffer.from(values.map((value) => value * 1.01).buffer);
  copyWith(model, folders.other, header, other);
  const turned = Object.fromEntries(
    Object.entries(header).map(([name, tensor]) => [
      name,
      name === "lm_head.weight" ? { ...tensor, shape: tensor.shape.toReversed() } : tensor,
    ]),
  );
  copyWith(model, folders.wrongShape, turned, data);
  return folders;
}

function readFile(path: string): { readonly header: Record<string, Tensor>; readonly data: Buffer } {
  const file = readFileSync(path);
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString("utf8", 8, 8 + length)) as Record<string, Tensor>;
  return { header, data: file.subarray(8 + length) };
}

function copyWith(model: string, folder: string, header: object, data: Buffer): void {
  cpSync(model, folder, { recursive: true });
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  writeFileSync(join(folder, FILE), Buffer.concat([length, text, data]));
}
