import { z } from "zod";
import { InsertedJson } from "./raw-json.js";

/** Routed experts in answers, in vLLM's form, for clients that read their samples from the reply instead of an export. */

/** The experts of the tokens of a sequence but its last, [tokens, layers, topK]. */
export interface AnsweredExperts {
  readonly layers: number;
  readonly topK: number;
  readonly indexBytes: 1 | 2;
  readonly values: Buffer;
}

export const returnRoutedExperts = z
  .boolean()
  .optional()
  .describe("true: the answer contains the routed experts. Needs `engine.routed_experts`.");

export const routedExperts = (z.string() as unknown as z.ZodType<InsertedJson, InsertedJson>)
  .nullable()
  .optional()
  .describe(
    "Base64 of a `.npy` array [prompt and output tokens - 1, layers, experts per token], uint8 or uint16. Null if the engine did " +
      "not send all of them. If the request has `return_routed_experts`.",
  );

/** Returns the field of a choice. An answer without experts has null; one whose request did not ask for them has no field. */
export function toRoutedExperts(experts: AnsweredExperts | null | undefined): { routed_experts?: NpyJson | null } {
  if (experts === undefined) return {};
  return { routed_experts: experts && new NpyJson(experts) };
}

/** Bytes of a piece, a multiple of 3: base64 writes three bytes as four characters. */
const PIECE_BYTES = 3 * 64 * 1024;

/** Bytes before the header's text: the magic string, the version and the length of the text. */
const PREFIX_BYTES = 10;
const ALIGNMENT = 64;

/** A JSON string with the base64 of a `.npy` file of version 1.0, written when the answer is sent. */
class NpyJson extends InsertedJson {
  readonly #header: Buffer;
  readonly #values: Buffer;

  constructor({ layers, topK, indexBytes, values }: AnsweredExperts) {
    super();
    const rows = values.length / (layers * topK * indexBytes);
    const descr = indexBytes === 1 ? "|u1" : "<u2";
    this.#header = npyHeader(`{'descr': '${descr}', 'fortran_order': False, 'shape': (${rows}, ${layers}, ${topK}), }`);
    this.#values = values;
  }

  override get size(): number {
    return Math.ceil((this.#header.length + this.#values.length) / 3) * 4 + 2;
  }

  override get memory(): number {
    return this.#values.length;
  }

  override *pieces(): Generator<string, void, void> {
    const first = PIECE_BYTES - this.#header.length;
    yield `"${Buffer.concat([this.#header, this.#values.subarray(0, first)]).toString("base64")}`;
    for (let from = first; from < this.#values.length; from += PIECE_BYTES) {
      yield this.#values.toString("base64", from, from + PIECE_BYTES);
    }
    yield '"';
  }
}

function npyHeader(description: string): Buffer {
  const length = Math.ceil((PREFIX_BYTES + description.length + 1) / ALIGNMENT) * ALIGNMENT;
  const header = Buffer.alloc(length, " ");
  header.write("\x93NUMPY\x01\x00", "latin1");
  header.writeUInt16LE(length - PREFIX_BYTES, PREFIX_BYTES - 2);
  header.write(description, PREFIX_BYTES);
  header.write("\n", length - 1);
  return header;
}
