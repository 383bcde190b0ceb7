import { constants, fstatSync, openSync, writeSync } from "node:fs";

/** Maximum number of bytes that wait for the reader. */
const MOST_WAITING = 1024 * 1024;
/** Time between two tries to write to a full pipe. */
const RETRY_MS = 50;
/** Time that a reader may take for its next bytes at the end of the process. */
const LAST_WAIT_MS = 200;
const LAST_STEP_MS = 10;

export interface LineOutputOptions {
  /** Returns the line that says how many lines were dropped. It is written once the reader reads again. */
  readonly describeDropped: (count: number) => string;
}

/**
 * Writes lines to a file descriptor without waiting for its reader. Lines that the reader does not take wait in a buffer. If the buffer is
 * full, lines are dropped and counted.
 *
 * Node writes to a pipe synchronously. Without this class, a process whose standard error nobody reads would hang once the pipe is full.
 *
 * A socket must not block. Node sets this for standard error at the first use of `process.stderr`.
 */
export class LineOutput {
  readonly #fd: number;
  readonly #describeDropped: (count: number) => string;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(fd: number, { describeDropped }: LineOutputOptions) {
    this.#fd = fstatSync(fd).isFIFO() ? openUnblocked(fd) : fd;
    this.#describeDropped = describeDropped;
  }

  /** @param line one or more lines, or a part of a line */
  write(line: string | Uint8Array): void {
    const bytes = Buffer.from(line);
    if (this.#isClosed || bytes.length === 0) return;
    if (this.#bytes + bytes.length > MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#add(bytes);
    if (this.#timer === undefined) this.#flush();
  }

  /** Writes the waiting lines if the reader reads. Call this when the process ends. */
  flushAtExit(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; this.#bytes > 0 && waited < LAST_WAIT_MS; ) {
      const before = this.#bytes;
      if (!this.#tryWrite()) return;
      if (this.#bytes < before) waited = 0;
      else {
        Atomics.wait(pause, 0, 0, LAST_STEP_MS);
        waited += LAST_STEP_MS;
      }
    }
  }

  #add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }

  #flush(): void {
    if (!this.#tryWrite() || this.#bytes === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, RETRY_MS);
    this.#timer.unref();
  }

  /** Writes as much as the reader takes now. Returns false if nothing can be written any more. */
  #tryWrite(): boolean {
    while (this.#bytes > 0) {
      const next = this.#takeAll();
      try {
        this.#wrote(next, writeSync(this.#fd, next));
      } catch (error) {
        // Other errors may pass, for example those of a full pipe or disk.
        if ((error as NodeJS.ErrnoException).code !== "EPIPE") return true;
        this.#close();
        return false;
      }
    }
    return true;
  }

  /** Returns everything that waits as one buffer. It stays there until {@link #wrote}. */
  #takeAll(): Buffer {
    const [first = Buffer.alloc(0)] = this.#waiting;
    const all = this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [all];
    return all;
  }

  #wrote(all: Buffer, written: number): void {
    this.#waiting[0] = all.subarray(written);
    this.#bytes -= written;
    if (this.#bytes > 0) return;
    this.#waiting = [];
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#add(Buffer.from(this.#describeDropped(count)));
  }

  /** The reader has closed the pipe. */
  #close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#bytes = 0;
  }
}

/** Opens a pipe a second time, because other programs share `fd` and may not expect writes to it that do not wait. */
function openUnblocked(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
