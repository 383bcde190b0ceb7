import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { sleep } from "../support/async/sleep.js";
import { permissions } from "../support/private-files.js";
import type { EpisodeLine, IndexLine, InteractionsSummary, LinePosition, RunLine, TranscriptLine } from "./format.js";
import { indexFileOf, Transcript } from "./read-index.js";
import { MAX_LINE_BYTES } from "./read-line.js";
import { joinSummary, toIndexLine } from "./summarize.js";

export interface WriterOptions {
  /** Goes on at the end of the file if it is a transcript. */
  readonly resume: boolean;
}

/** An episode with the JSON of its interactions, on one line. */
export interface WrittenEpisode {
  readonly head: Omit<EpisodeLine, "interactions">;
  readonly interactions: Uint8Array;
  readonly summary: InteractionsSummary;
}

/** Least time between two writes. Each takes two calls of the file system, and so as much processor time as a short line. */
const GATHER_MS = 50;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;

/**
 * Writes a transcript and its index. The lines of a call are written together while those of the next calls gather, each file through
 * one open descriptor. A write error ends the transcript: later lines are dropped.
 */
export class TranscriptWriter {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #index: FileHandle;
  readonly #earlier: readonly IndexLine[];
  /** Length of the file when everything is written. */
  #end: number;
  #lines: Uint8Array[] = [];
  #entries: string[] = [];
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;
  #lastWrite = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();

  private constructor(path: string, file: FileHandle, index: FileHandle, { lines, end }: Known) {
    this.path = path;
    this.#file = file;
    this.#index = index;
    this.#earlier = lines;
    this.#end = end;
  }

  /**
   * Creates the files, in place of those of an earlier job. With `resume`, goes on in them: a torn last line is cut, and the index is
   * written anew.
   *
   * @throws an error of the file system
   */
  static async open(path: string, run: RunLine, { resume }: WriterOptions): Promise<TranscriptWriter> {
    const known = resume ? await readKnown(path) : undefined;
    if (!known) {
      // A reader that has the earlier files open keeps them. A link in their place is removed, not followed.
      await Promise.all([rm(path, { force: true }), rm(indexFileOf(path), { force: true })]);
    }
    const file = await open(path, known ? APPEND : "ax+", permissions.file);
    try {
      const { lines, end } = known ?? NOTHING;
      if (known) await file.truncate(end);
      const index = await createIndex(indexFileOf(path), lines);
      const writer = new TranscriptWriter(path, file, index, { lines, end });
      if (end === 0) await writer.write(run);
      return writer;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The lines that the file had when it was opened. */
  get earlier(): readonly IndexLine[] {
    return this.#earlier;
  }

  /** Why the transcript has ended early; undefined if it has not. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Adds a line. Resolves when it is written, or dropped because of an error. */
  write(line: TranscriptLine): Promise<void> {
    if (this.#failure) return Promise.resolve();
    let bytes = encode(line);
    if (bytes.length > MAX_LINE_BYTES && line.type === "episode") {
      bytes = encode({ ...line, interactions: [], incomplete: tooLong(bytes.length) });
    }
    return this.#add([bytes], (place) => toIndexLine(line, place));
  }

  /** Adds an episode whose interactions are JSON already. Like {@link write} otherwise. */
  writeEpisode({ head, interactions, summary }: WrittenEpisode): Promise<void> {
    if (this.#failure) return Promise.resolve();
    const start = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"interactions":`);
    const length = start.length + interactions.length + LINE_END.length;
    const line =
      length > MAX_LINE_BYTES
        ? [encode({ ...head, interactions: [], incomplete: tooLong(length) })]
        : [start, interactions, LINE_END];
    return this.#add(line, (place) => ({ ...place, ...joinSummary(head, summary) }));
  }

  #add(line: readonly Uint8Array[], describe: (place: LinePosition) => IndexLine): Promise<void> {
    const length = line.reduce((sum, bytes) => sum + bytes.length, 0);
    const place = { offset: this.#end, length: length - 1 };
    this.#end += length;
    this.#lines.push(...line);
    this.#entries.push(`${JSON.stringify(describe(place))}\n`);
    // Lines that arrive during a write are written together after it.
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Waits for what was added, and closes the files. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await Promise.allSettled([this.#file.close(), this.#index.close()]);
  }

  async #writeAll(): Promise<void> {
    while (this.#lines.length > 0 && !this.#failure) {
      await this.#gather();
      const [lines, entries] = [Buffer.concat(this.#lines), this.#entries.join("")];
      this.#lines = [];
      this.#entries = [];
      try {
        // A line is in the index only once it is in the file.
        await this.#file.appendFile(lines);
        await this.#index.appendFile(entries);
      } catch (error) {
        this.#failure = error instanceof Error ? error : new Error(String(error));
      }
      this.#lastWrite = performance.now();
    }
  }

  /** Waits for lines that are written together: those of one iteration of the event loop, and more soon after another write. */
  async #gather(): Promise<void> {
    const pause = this.#lastWrite + GATHER_MS - performance.now();
    if (pause > 0) await sleep(pause, this.#closing.signal).catch(() => undefined);
    else await Promise.resolve();
  }
}

const LINE_END = Buffer.from("}\n");
const tooLong = (bytes: number): string => `its calls take ${bytes} bytes; a line has at most ${MAX_LINE_BYTES}`;
const encode = (line: TranscriptLine): Buffer => Buffer.from(`${JSON.stringify(line)}\n`);

interface Known {
  readonly lines: readonly IndexLine[];
  /** End of the last complete line. */
  readonly end: number;
}

const NOTHING: Known = { lines: [], end: 0 };

/** Reads the transcript of an earlier process; undefined if there is none. */
async function readKnown(path: string): Promise<Known | undefined> {
  try {
    await using transcript = await Transcript.open(path);
    return { lines: transcript.lines, end: transcript.end };
  } catch {
    return undefined;
  }
}

/** Writes an index beside the old one and renames it, so that a reader never sees half of it. Returns it open. */
async function createIndex(path: string, lines: readonly IndexLine[]): Promise<FileHandle> {
  const partial = `${path}.new`;
  await rm(partial, { force: true });
  const index = await open(partial, "ax", permissions.file);
  try {
    await index.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await rename(partial, path);
    return index;
  } catch (error) {
    await index.close();
    throw error;
  }
}
