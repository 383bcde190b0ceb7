import { InsertedJson } from "../../protocols/raw-json.js";

/** Bytes of one piece: a multiple of three, so that no piece but the last has padding. */
const PIECE_BYTES = 3 * 8192;

/** Numbers as a JSON string of base64. `JSON.stringify` would search megabytes of it for characters to escape. */
export class Base64Json extends InsertedJson {
  readonly #bytes: Buffer;

  constructor({ buffer, byteOffset, byteLength }: Int32Array | Float32Array) {
    super();
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  override get size(): number {
    return Math.ceil(this.#bytes.length / 3) * 4;
  }

  override get memory(): number {
    return this.#bytes.length;
  }

  override *pieces(): Generator<string, void, void> {
    yield '"';
    for (let from = 0; from < this.#bytes.length; from += PIECE_BYTES) {
      yield this.#bytes.toString("base64", from, Math.min(from + PIECE_BYTES, this.#bytes.length));
    }
    yield '"';
  }
}
