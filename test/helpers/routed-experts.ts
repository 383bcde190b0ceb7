import type { ExpertModel } from "../../src/native/contract.js";

/** The tests' mixture-of-experts model. With more than 256 experts, ids have two bytes. */
export const EXPERT_MODEL: ExpertModel = { layers: 3, topK: 2, experts: 300 };

/** Returns the invented experts of a token at a position of its sequence, layer after layer. */
export function expertsOf({ layers, topK, experts }: ExpertModel, id: number, position: number): number[] {
  return Array.from({ length: layers * topK }, (_, i) => (id * 31 + position * 7 + i) % experts);
}

/** Returns the rows of tokens [start, ids.length - 1) of a sequence, as an engine has them. */
function expertRows(model: ExpertModel, ids: readonly number[], start: number): number[] {
  return ids.slice(start, -1).flatMap((id, index) => expertsOf(model, id, start + index));
}

/** Returns SGLang's `routed_experts`: base64 of int32. */
export function int32Experts(model: ExpertModel, ids: readonly number[], start: number): string {
  const { buffer } = Int32Array.from(expertRows(model, ids, start));
  return Buffer.from(buffer).toString("base64");
}

/** Returns vLLM's `routed_experts`: base64 of a file as `numpy.save` writes it. */
export function npyExperts(model: ExpertModel, ids: readonly number[], start: number): string {
  const rows = expertRows(model, ids, start);
  const isSmall = model.experts <= 256;
  const values = isSmall ? Uint8Array.from(rows) : Uint16Array.from(rows);
  const shape = `(${rows.length / (model.layers * model.topK)}, ${model.layers}, ${model.topK})`;
  const text = `{'descr': '${isSmall ? "|u1" : "<u2"}', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = `${text.padEnd(117)}\n`;
  const start6 = Buffer.from("\x93NUMPY\x01\x00", "latin1");
  const length = Buffer.from(Uint16Array.of(header.length).buffer);
  const body = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return Buffer.concat([start6, length, Buffer.from(header, "latin1"), body]).toString("base64");
}
