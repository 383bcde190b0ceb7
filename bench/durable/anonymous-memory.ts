import { readFileSync } from "node:fs";

/**
 * Memory of a process that the kernel cannot drop, in MiB: resident memory without mapped files. The kernel keeps this sum;
 * `smaps_rollup` would visit each page and stop the process meanwhile.
 */
export function readAnonymousMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

const INTERVAL_MS = 250;

/** Finds the largest anonymous memory of a process. */
export class MemoryPeak {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #mebibytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#read(), INTERVAL_MS);
  }

  /** Returns the peak so far, in MiB. */
  stop(): number {
    clearInterval(this.#timer);
    this.#read();
    return this.#mebibytes;
  }

  #read(): void {
    this.#mebibytes = Math.max(this.#mebibytes, readAnonymousMebibytes(this.#pid));
  }
}
