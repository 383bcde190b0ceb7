import { openStandardError } from "../standard-error.js";
import { LogLines } from "./log-lines.js";

const CLEAR_LINE = "\r\x1b[K";
const [HIDE_CURSOR, SHOW_CURSOR] = ["\x1b[?25l", "\x1b[?25h"];
const NEWLINE = 10;
/** A longer line without an end is broken, so that it neither waits nor grows without limit. */
const LONGEST_LINE_BYTES = 1 << 16;

/**
 * Standard error while a job runs. On a terminal the last line is a progress bar, and everything else appears above it.
 * Standard output is reserved for the summary: what agents write to it goes to standard error.
 */
export class RolloutScreen implements Disposable {
  readonly isTerminal = process.stderr.isTTY === true;
  readonly #write: (text: string | Uint8Array) => void;
  readonly #restore: () => void;
  readonly #logs = new LogLines();
  #status = "";
  /** On a terminal: the start of a line whose end is not written yet, at most {@link LONGEST_LINE_BYTES}. */
  #partialLine: Buffer = Buffer.alloc(0);
  /** Without a terminal: the last line that was written has no end yet. */
  #isInLine = false;

  constructor() {
    // A job must not wait for the reader of its standard error.
    openStandardError();
    const { stdout, stderr } = process;
    this.#write = stderr.write.bind(stderr);
    const restorers = [stdout, stderr].map((stream) => replaceWrite(stream, this.#take.bind(this)));
    const showCursor = () => void (this.#status !== "" && this.#write(SHOW_CURSOR));
    process.once("exit", showCursor);
    this.#restore = () => {
      for (const restore of restorers) restore();
      process.off("exit", showCursor);
    };
  }

  /** Sets the last line of the terminal, cut to its width. */
  set status(text: string) {
    const line = text.slice(0, Math.max(0, (process.stderr.columns || 80) - 1));
    this.#write(CLEAR_LINE + (this.#status === "" ? HIDE_CURSOR : "") + line);
    this.#status = line;
  }

  /** Ends the progress bar. Its last text stays, and later output appears below it. */
  endStatus(): void {
    if (this.#status === "") return;
    this.#status = "";
    this.#write(`${SHOW_CURSOR}\n`);
  }

  /** Writes one line, never in the middle of another one. */
  line(text: string): void {
    if (this.isTerminal) return this.#writeAbove(Buffer.from(`${text}\n`));
    this.#write(`${this.#isInLine ? "\n" : ""}${text}\n`);
    this.#isInLine = false;
  }

  /** Destination of log lines. On a terminal JSON lines become text, and repeated ones are counted. */
  readonly log = {
    write: (lines: string): void => {
      for (const line of lines.split("\n").filter((text) => text !== "")) {
        const shown = this.isTerminal ? this.#logs.add(line) : line;
        if (shown !== undefined) this.line(shown);
      }
    },
  };

  /** Writes incomplete lines, and restores standard output and standard error. */
  [Symbol.dispose](): void {
    this.#endPartialLine();
    this.endStatus();
    for (const line of this.#logs.repeated()) this.line(line);
    if (this.#isInLine) this.#write("\n");
    this.#restore();
  }

  /** Replaces `write` of both streams. */
  #take(chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, done?: Callback): boolean {
    const bytes =
      typeof chunk === "string" ? Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8") : chunk;
    const callback = typeof encoding === "function" ? encoding : done;
    if (this.isTerminal) this.#takeLines(Buffer.from(bytes));
    else if (bytes.length > 0) {
      this.#write(bytes);
      this.#isInLine = bytes.at(-1) !== NEWLINE;
    }
    if (callback) process.nextTick(callback);
    return true;
  }

  #takeLines(bytes: Buffer): void {
    const all = Buffer.concat([this.#partialLine, bytes]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    this.#partialLine = all.subarray(end);
    if (end > 0) this.#writeAbove(all.subarray(0, end));
    if (this.#partialLine.length >= LONGEST_LINE_BYTES) this.#endPartialLine();
  }

  #endPartialLine(): void {
    if (this.#partialLine.length > 0) this.#writeAbove(Buffer.concat([this.#partialLine, Buffer.from("\n")]));
    this.#partialLine = Buffer.alloc(0);
  }

  #writeAbove(lines: Buffer): void {
    this.#write(
      this.#status === "" ? lines : Buffer.concat([Buffer.from(CLEAR_LINE), lines, Buffer.from(this.#status)]),
    );
  }
}

type Callback = (error?: Error | null) => void;

/** Replaces a stream's `write`. Returns a function that restores it. */
function replaceWrite(stream: NodeJS.WriteStream, write: (chunk: string | Uint8Array) => boolean): () => void {
  const own = Object.getOwnPropertyDescriptor(stream, "write");
  stream.write = write;
  return () => {
    Reflect.deleteProperty(stream, "write");
    if (own) Object.defineProperty(stream, "write", own);
  };
}
