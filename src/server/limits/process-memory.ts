import { readFileSync } from "node:fs";

/** Memory of this process that the system cannot take back, in bytes. Tests inject a fake. */
export interface ProcessMemory {
  readonly used: number;
  /** Beyond it, the system may end the process. */
  readonly limit: number;
}

/** The rest is for other processes of the container, and for page tables and buffers of the kernel. */
const SHARE = 0.9;
const SAMPLE_MS = 100;

/**
 * Bytes of memory that a call takes at its peak for each byte of its body: the body, its text, its messages, the pieces of the prompt and
 * their tokens, with the garbage of making them. Texts without ASCII take most: a character of several bytes may have as many tokens.
 * Measured: 43 for 4 MB of emoji, 53 for 4 MB of Chinese characters, 67 to 71 for 2 MB of emoji between words, and 9 for English.
 */
export const PEAK_OF_BODY = 80;

/**
 * Returns the memory of this process. It is read at most every 100 ms.
 *
 * @param available memory of the machine or container
 */
export function createProcessMemory(available: number): ProcessMemory {
  let used = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    limit: Math.floor(SHARE * available),
    get used() {
      if (performance.now() - readAt < SAMPLE_MS) return used;
      readAt = performance.now();
      used = readUsed();
      return used;
    },
  };
}

/** Pages of files, such as those of the storage, are left out: the system can drop them. */
function readUsed(): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    return readKilobytes(status, "RssAnon") + readKilobytes(status, "RssShmem");
  } catch {
    return process.memoryUsage.rss();
  }
}

function readKilobytes(status: string, name: string): number {
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
}
