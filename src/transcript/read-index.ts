import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { Slices } from "../support/async/run-steps.js";
import { type FileAccess, LOCAL_FILES, type OpenFile } from "../support/file-access.js";
import { isEpisodeEntry } from "./episode-entry.js";
import { TranscriptError } from "./errors.js";
import type { EpisodeLine, IndexLine, LinePosition } from "./format.js";
import { LINE_FEED, MAX_LINE_BYTES, parseLine, readBytes, readLine } from "./read-line.js";
import { indexLine, transcriptLine } from "./schema.js";
import { toIndexLine } from "./summarize.js";

/** Name of the index of a transcript. */
export const indexFileOf = (transcript: string): string => `${transcript}.index`;

/** Maximum bytes of a line of the index. */
const MAX_INDEX_LINE_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 20;

export interface Refreshed {
  /** Number of lines that were added to `lines`. */
  readonly added: number;
  /** True if another job has replaced the file or the file was cut: close this transcript, and open it again. */
  readonly replaced: boolean;
}

/**
 * An open transcript and its index. Lines that the index file lacks, because it is missing, torn or older, are read from the
 * transcript itself. The index file is never written here.
 */
export class Transcript implements AsyncDisposable {
  readonly path: string;
  readonly #files: FileAccess;
  readonly #file: OpenFile;
  readonly #inode: number;
  readonly #lines: IndexLine[] = [];
  readonly #problems: string[] = [];
  /** End of the last line that is known or was skipped: where the next one begins. */
  #end = 0;
  /** The transcript has no line feed between `#end` and here. */
  #scanned = 0;
  /** Position in the index file; undefined if it is not used any more. */
  #indexAt: number | undefined = 0;
  #isIndexed = true;

  private constructor(path: string, files: FileAccess, file: OpenFile, inode: number) {
    this.path = path;
    this.#files = files;
    this.#file = file;
    this.#inode = inode;
  }

  /** @throws TranscriptError `not_a_transcript` or `unsupported_format`; or an error of the file system */
  static async open(path: string, files = LOCAL_FILES): Promise<Transcript> {
    const transcript = await Transcript.openUnread(path, files);
    try {
      await transcript.refresh();
      return transcript;
    } catch (error) {
      await transcript[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Opens a transcript whose lines are read by the first {@link refresh}. Throws like {@link open}. */
  static async openUnread(path: string, files = LOCAL_FILES): Promise<Transcript> {
    const file = await files.open(path);
    try {
      const { ino } = await file.stat();
      const transcript = new Transcript(path, files, file, ino);
      await transcript.#checkFirstLine();
      return transcript;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** In the order of the transcript. Grows with {@link refresh}. */
  get lines(): readonly IndexLine[] {
    return this.#lines;
  }

  /** Position after the last complete line. */
  get end(): number {
    return this.#end;
  }

  /** True if every line so far came from the index file. */
  get isIndexed(): boolean {
    return this.#isIndexed;
  }

  /** Lines that were skipped because they cannot be read, with the reason: at most 100. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /**
   * Reads the lines that were written since the last time, in slices of the event loop. Call it again only when it has resolved.
   *
   * @param onLine called with each line
   */
  async refresh(onLine: (line: IndexLine) => void = () => undefined): Promise<Refreshed> {
    const { size } = await this.#file.stat();
    const current = await stat(this.path).catch(() => undefined);
    if (size < this.#scanned || (current !== undefined && current.ino !== this.#inode))
      return { added: 0, replaced: true };
    const before = this.#lines.length;
    const slices = new Slices();
    const add = (line: IndexLine): void => {
      this.#add(line);
      onLine(line);
    };
    await this.#readIndexFile(size, add, slices);
    await this.#scan(size, add, slices);
    return { added: this.#lines.length - before, replaced: false };
  }

  /**
   * Reads an episode with its texts.
   *
   * @throws TranscriptError `line_too_long` or `invalid_line`
   */
  async readEpisode(place: LinePosition, maxBytes = MAX_LINE_BYTES): Promise<EpisodeLine> {
    const line = await readLine(this.#file, place, maxBytes);
    if (line.type === "episode") return line;
    throw new TranscriptError("invalid_line", `The line at byte ${place.offset} is a ${line.type}, not an episode.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  /** Refuses files that are no transcripts. An empty file is one: its job has just begun. */
  async #checkFirstLine(): Promise<void> {
    const start = await readBytes(this.#file, 0, MAX_FIRST_LINE_BYTES);
    const end = start.indexOf(LINE_FEED);
    if (start.length === 0 || (end < 0 && start.length < MAX_FIRST_LINE_BYTES && start[0] === OPEN_OBJECT)) return;
    const line = end < 0 ? undefined : readJson(start.subarray(0, end));
    if (line?.type !== "run") {
      throw new TranscriptError("not_a_transcript", `${basename(this.path)} is not a transcript of Rolltape.`);
    }
    if (!transcriptLine.safeParse(line).success) {
      const message = `${basename(this.path)} has format ${JSON.stringify(line.format) ?? "unknown"}, which this version cannot read.`;
      throw new TranscriptError("unsupported_format", message);
    }
  }

  /** Takes lines from the index file while they fit the transcript. */
  async #readIndexFile(size: number, add: AddLine, slices: Slices): Promise<void> {
    if (this.#indexAt === undefined) return;
    const index = await this.#files.open(indexFileOf(this.path)).catch(() => undefined);
    if (!index) return;
    let entries: IndexLine[] = [];
    const take = async (): Promise<boolean> => {
      const fits = await this.#fits(entries);
      if (fits) for (const entry of entries) add(entry);
      else this.#indexAt = undefined;
      entries = [];
      return fits;
    };
    try {
      let end = this.#end;
      for await (const line of findLines(index, this.#indexAt, Infinity)) {
        await slices.pause();
        const entry = await readEntry(index, line);
        const isNext = entry?.offset === end && end + entry.length < size;
        // Lines before `end` were read from the transcript before the index had them.
        if (!isNext && !(entry && entry.offset < end)) {
          this.#indexAt = undefined;
          break;
        }
        if (isNext) {
          entries.push(entry);
          end = entry.offset + entry.length + 1;
        }
        this.#indexAt = line.offset + line.length + 1;
        if (entries.length === TAKEN_TOGETHER && !(await take())) return;
      }
      await take();
    } finally {
      await index.close();
    }
  }

  /** Returns true if the first and the last of these lines of the index are lines of this transcript. */
  async #fits(entries: readonly IndexLine[]): Promise<boolean> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return true;
    if (first.offset === 0 && !(first.type === "run" && (await this.#isOwnRun(first)))) return false;
    return (await readBytes(this.#file, last.offset + last.length, 1))[0] === LINE_FEED;
  }

  async #isOwnRun(entry: IndexLine & { readonly type: "run" }): Promise<boolean> {
    const line = await readLine(this.#file, entry).catch(() => undefined);
    return line?.type === "run" && line.started_at === entry.started_at;
  }

  /** Adds the complete lines at the end of the transcript that the index file does not list. */
  async #scan(size: number, add: AddLine, slices: Slices): Promise<void> {
    for await (const { bytes, ...place } of findLines(this.#file, this.#end, size, this.#scanned)) {
      this.#isIndexed = false;
      await slices.pause();
      try {
        const line = bytes ? parseLine(bytes, place.offset, transcriptLine) : await readLine(this.#file, place);
        add(toIndexLine(line, place));
      } catch (error) {
        if (!(error instanceof TranscriptError)) throw error;
        if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(error.message);
        this.#skipTo(place.offset + place.length + 1);
      }
    }
    this.#scanned = size;
  }

  #add(line: IndexLine): void {
    this.#lines.push(line);
    this.#skipTo(line.offset + line.length + 1);
  }

  #skipTo(end: number): void {
    this.#end = end;
    this.#scanned = Math.max(this.#scanned, end);
  }
}

type AddLine = (line: IndexLine) => void;

/** Lines of the index that are checked, and taken, together. */
const TAKEN_TOGETHER = 1000;
const MAX_FIRST_LINE_BYTES = 1 << 16;
const MAX_PROBLEMS = 100;
const OPEN_OBJECT = 0x7b;

function readJson(bytes: Buffer): { readonly type?: unknown; readonly format?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an entry of the index file; undefined if it is damaged. */
async function readEntry(index: OpenFile, { offset, length, bytes }: FoundLine): Promise<IndexLine | undefined> {
  if (length > MAX_INDEX_LINE_BYTES) return undefined;
  try {
    return parseLine(bytes ?? (await readBytes(index, offset, length)), offset, indexLine, isEpisodeEntry);
  } catch (error) {
    if (error instanceof TranscriptError) return undefined;
    throw error;
  }
}

interface FoundLine extends LinePosition {
  /** The line, if it was read as a whole. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Yields the complete lines between `start` and `size`.
 *
 * @param scanned position before which the first line has no line feed
 */
async function* findLines(file: OpenFile, start: number, size: number, scanned = start): AsyncGenerator<FoundLine> {
  let offset = start;
  for (let at = Math.max(start, scanned); at < size; ) {
    const chunk = await readBytes(file, at, Math.min(CHUNK_BYTES, size - at));
    if (chunk.length === 0) return;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, end + 1)) {
      const bytes = offset >= at ? chunk.subarray(offset - at, end) : undefined;
      yield { offset, length: at + end - offset, bytes };
      offset = at + end + 1;
    }
    at += chunk.length;
  }
}
