import type { Readable } from "node:stream";

/** The last bytes of a stream, as text. */
export class OutputTail {
  #limit: number;
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

  /** Returns what is kept and keeps nothing from then on: what comes later is somebody else's. */
  end(): Buffer {
    const kept = this.#bytes;
    this.#limit = 0;
    this.clear();
    return kept;
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  #add(chunk: Buffer): void {
    // `subarray(-0)` is all of it.
    if (this.#limit === 0) return;
    const all = Buffer.concat([this.#bytes, chunk.subarray(-this.#limit)]);
    this.#bytes = Buffer.from(all.subarray(-this.#limit));
  }
}
