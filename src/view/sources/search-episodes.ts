import { eventLoop } from "../../support/async/event-loop.js";
import type { FileAccess, OpenFile } from "../../support/file-access.js";
import type { LinePosition } from "../../transcript/format.js";
import { readLine } from "../../transcript/read-line.js";
import type { SearchResult } from "../api.js";
import { episodeContains, SEARCH_MS } from "../search.js";

const WINDOW_BYTES = 1 << 21;
/** Bounds the answer: nobody reads a longer list. */
const MAX_FOUND = 10_000;

/**
 * Searches the messages of episodes for a text, without regard to case. The file is read in windows of some megabytes, and
 * a line is parsed only if its bytes contain a part of the text.
 *
 * @param signal ends the search when the client disconnects
 */
export async function searchEpisodes(
  files: FileAccess,
  path: string,
  places: readonly LinePosition[],
  text: string,
  signal: AbortSignal,
): Promise<SearchResult> {
  const wanted = text.toLowerCase();
  const found: number[] = [];
  if (wanted === "") return { episodes: found, complete: true };
  const until = performance.now() + SEARCH_MS;
  const sample = asciiSample(wanted);
  const file = await files.open(path);
  try {
    const window = new Window(file);
    for (const [index, place] of places.entries()) {
      if (performance.now() > until || found.length === MAX_FOUND) return { episodes: found, complete: false };
      if (index % 64 === 0) {
        await eventLoop.yield();
        signal.throwIfAborted();
      }
      if (!(await window.mayContain(place, sample))) continue;
      const line = await readLine(file, place).catch(() => undefined);
      if (line?.type === "episode" && episodeContains(line, wanted)) found.push(index);
    }
    return { episodes: found, complete: true };
  } finally {
    await file.close();
  }
}

/**
 * Returns the longest part that JSON spells as it is and that has the same lower case in bytes. A few letters of other scripts
 * have an ASCII letter as their lower case, such as the Kelvin sign; texts with these may be missed.
 */
function asciiSample(wanted: string): string {
  const parts = wanted.match(/[a-z0-9 .,:;()_+*=<>!?-]+/g) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

/** A part of the file in memory, so that short lines do not cost a read each. */
class Window {
  readonly #file: OpenFile;
  readonly #bytes = Buffer.allocUnsafe(WINDOW_BYTES);
  #start = 0;
  #text = "";
  /** Position of the next sample in the window. */
  #hit = -1;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  /** Returns false only if the line does not contain the sample. Call it with the lines in their order. */
  async mayContain({ offset, length }: LinePosition, sample: string): Promise<boolean> {
    if (sample === "" || length > WINDOW_BYTES) return true;
    if (offset < this.#start || offset + length > this.#start + this.#text.length) await this.#load(offset);
    const from = offset - this.#start;
    // Searched once for all lines before the next hit, not once for each line.
    if (this.#hit < from) this.#hit = this.#findFrom(from, sample);
    return this.#hit + sample.length <= from + length;
  }

  #findFrom(from: number, sample: string): number {
    const at = this.#text.indexOf(sample, from);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  }

  async #load(offset: number): Promise<void> {
    const { bytesRead } = await this.#file.read(this.#bytes, 0, WINDOW_BYTES, offset);
    this.#start = offset;
    // One character per byte, so that positions are those of the file.
    this.#text = this.#bytes.toString("latin1", 0, bytesRead).toLowerCase();
    this.#hit = -1;
  }
}
