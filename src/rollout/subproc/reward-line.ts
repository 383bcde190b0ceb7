import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Characters of the longest line that is read as a reward. */
const LONGEST_LINE = 1 << 20;

/** Reads a program's standard output for its reward: the last line that is a JSON number or object. */
export class RewardLine {
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #reward: unknown;

  constructor(stream: Readable) {
    stream.on("data", (chunk: Buffer) => this.#add(this.#decoder.write(chunk)));
    // A pipe that breaks ends what is read; the process itself says why.
    stream.on("error", () => {});
  }

  /** To be called when the output has ended. Undefined: there was no such line. */
  end(): unknown {
    this.#add(`${this.#decoder.end()}\n`);
    return this.#reward;
  }

  #add(text: string): void {
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#append(line);
      this.#read();
      this.#line = "";
    }
    this.#append(rest);
  }

  /** A line that is too long is known by its length. */
  #append(text: string): void {
    if (this.#line.length <= LONGEST_LINE) this.#line += text.slice(0, LONGEST_LINE + 1);
  }

  #read(): void {
    if (this.#line.length > LONGEST_LINE || !/^\s*[-\d{]/.test(this.#line)) return;
    try {
      this.#reward = JSON.parse(this.#line);
    } catch {
      // A line of another kind.
    }
  }
}
