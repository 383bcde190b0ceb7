import type { Readable } from "node:stream";

/** The last bytes of a stream, as text. */
export class OutputTail {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);

  /** @param limit bytes kept */
  constructor(stream: Readable, limit: number) {
    this.#limit = limit;
    stream.on("data", (chunk: Buffer) => this.#add(chunk));
    // A pipe that breaks ends what is kept; the process itself says why.
    stream.on("error", () => {});
  }

  /** Without white space at its ends; empty where nothing came. */
  get text(): string {
    return this.#bytes.toString().trim();
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  #add(chunk: Buffer): void {
    const all = Buffer.concat([this.#bytes, chunk.subarray(-this.#limit)]);
    this.#bytes = Buffer.from(all.subarray(-this.#limit));
  }
}
