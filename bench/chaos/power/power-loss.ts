import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DATA_FILE, LOG_FILES } from "../../../src/storage/file-names.js";
import type { Random } from "../../soak/random.js";
import { PAGE_BYTES, readJournal } from "./journal.js";

/** See `faults.h`. */
export type FailingCalls = "write" | "meta-write" | "sync" | "meta-sync" | "log-write" | "log-sync" | "synced-write";

/** Error numbers of Linux. */
const ERRORS = { EIO: 5, ENOSPC: 28, EROFS: 30, EDQUOT: 122 } as const;

/** Disks write sectors whole, and in any order. */
const SECTOR_BYTES = 512;

/** Takes back writes of a process that was killed, as far as they were not synced. */
export class PowerLoss {
  readonly #files: readonly string[];
  readonly #journal: string;
  readonly #fault: string;
  readonly #library: string;
  #losses = 0;
  #dropped = 0;

  /**
   * @param directory of the server's storage
   * @param folder for the compiled library and the journals, outside of the server's folder
   */
  constructor(directory: string, folder: string) {
    this.#files = [DATA_FILE, ...LOG_FILES].map((name) => join(directory, name));
    this.#journal = join(folder, "unsynced-writes.journal");
    this.#fault = join(folder, "unsynced-writes.fault");
    this.#library = join(folder, "unsynced-writes.so");
    const source = fileURLToPath(new URL("./unsynced-writes.c", import.meta.url));
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", this.#library, source, "-ldl", "-pthread"]);
  }

  /** Environment of the process whose writes are journaled. */
  get env(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      UNSYNCED_FILES: this.#files.join(":"),
      UNSYNCED_JOURNAL: this.#journal,
      UNSYNCED_FAULT: this.#fault,
    };
  }

  /** Makes the next calls of a kind fail. What a failed sync should have written reaches the disk only if it is written again. */
  fail(calls: FailingCalls, error: keyof typeof ERRORS, times = 1): void {
    writeFileSync(this.#fault, `${calls} ${ERRORS[error]} ${times}`);
  }

  /** Number of calls that will still fail. */
  get failuresLeft(): number {
    return existsSync(this.#fault) ? Number(readFileSync(this.#fault, "utf8").split(" ").at(-1)) : 0;
  }

  /** Ends the failures. */
  recover(): void {
    rmSync(this.#fault, { force: true });
  }

  /** True if a write is not synced now. */
  get hasUnsynced(): boolean {
    const hasJournal = (_: string, file: number) =>
      (statSync(this.#journalOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0;
    return this.#files.some(hasJournal);
  }

  /** Number of losses so far that dropped something. */
  get losses(): number {
    return this.#losses;
  }

  /** Sectors that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Drops unsynced writes.
   *
   * @param share probability that a sector is dropped. Less than 1: the disk has written some already
   */
  strike(random: Random, share = 1): void {
    const dropped = this.#files.reduce(
      (sum, path, file) => sum + strikeFile(path, this.#journalOf(file), random, share),
      0,
    );
    this.#dropped += dropped;
    if (dropped > 0) this.#losses++;
  }

  #journalOf(file: number): string {
    return `${this.#journal}.${file}`;
  }
}

/** Drops unsynced writes to one file. Returns the number of sectors. */
function strikeFile(path: string, journal: string, random: Random, share: number): number {
  if (!existsSync(journal)) return 0;
  const { pages, size } = readJournal(readFileSync(journal));
  rmSync(journal);
  // A log that the server removed has nothing that it needs.
  if (size === undefined || !existsSync(path)) return 0;
  const file = openSync(path, "r+");
  try {
    const current = fstatSync(file).size;
    let end = size;
    let dropped = 0;
    for (const [page, old] of pages) {
      for (let sector = 0; sector < PAGE_BYTES; sector += SECTOR_BYTES) {
        const at = page * PAGE_BYTES + sector;
        if (share < 1 && !random.chance(share)) {
          end = Math.max(end, Math.min(at + SECTOR_BYTES, current));
          continue;
        }
        writeSync(file, old, sector, SECTOR_BYTES, at);
        dropped++;
      }
    }
    ftruncateSync(file, end);
    return dropped;
  } finally {
    closeSync(file);
  }
}

/** Returns why losses of power cannot be tested here; undefined if they can. */
export function findMissingCompiler(): string | undefined {
  if (process.platform !== "linux") return "the preloaded library needs Linux";
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "there is no C compiler `cc`";
  }
}
