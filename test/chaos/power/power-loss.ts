import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Random } from "../../helpers/random.js";
import { PAGE_BYTES, readJournal } from "./journal.js";

/** See `faults.h`. */
export type FailingCalls = "write" | "allocate" | "sync";

/** Error numbers of Linux. */
const ERRORS = { EIO: 5, ENOSPC: 28, EROFS: 30, EDQUOT: 122 } as const;

/** Disks write sectors whole, and in any order. */
const SECTOR_BYTES = 512;

/** Takes back the unsynced changes that a killed process made to the files of a folder. */
export class PowerLoss {
  readonly #directory: string;
  readonly #journal: string;
  readonly #fault: string;
  readonly #library: string;
  #losses = 0;
  #dropped = 0;

  /**
   * @param directory of the server's storage
   * @param folder for the compiled library and the journals, outside of the server's folder, on the same file system
   */
  constructor(directory: string, folder: string) {
    this.#directory = directory;
    this.#journal = join(folder, "unsynced-writes");
    this.#fault = join(folder, "unsynced-writes.fault");
    this.#library = join(folder, "unsynced-writes.so");
    mkdirSync(this.#journal);
    const source = fileURLToPath(new URL("./unsynced-writes.c", import.meta.url));
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", this.#library, source, "-pthread"]);
  }

  /** Environment of the process whose writes are journaled. */
  get env(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      UNSYNCED_FOLDER: this.#directory,
      UNSYNCED_JOURNAL: this.#journal,
      UNSYNCED_FAULT: this.#fault,
    };
  }

  /**
   * Makes the next calls of a kind fail. What a failed sync should have written reaches the disk only if it is written again.
   *
   * @param files pattern of the names of the files whose calls fail. The folder itself has the name `.`
   */
  fail(calls: FailingCalls, error: keyof typeof ERRORS, times = 1, files = "segment-*.log"): void {
    writeFileSync(this.#fault, `${calls} ${files} ${ERRORS[error]} ${times}`);
  }

  /** Number of calls that will still fail. */
  get failuresLeft(): number {
    return existsSync(this.#fault) ? Number(readFileSync(this.#fault, "utf8").split(" ").at(-1)) : 0;
  }

  /** Ends the failures. */
  recover(): void {
    rmSync(this.#fault, { force: true });
  }

  /** True if there are unsynced writes. */
  get hasUnsynced(): boolean {
    return this.#listJournals().some((path) => statSync(path).size > 0);
  }

  /** Number of strikes so far that dropped something. */
  get losses(): number {
    return this.#losses;
  }

  /** Sectors that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Drops unsynced changes: writes, and the creation, renaming and removal of files.
   *
   * @param share probability that a sector is dropped, and that the folder has its old names again. Less than 1: the disk has written
   * some changes already
   */
  strike(random: Random, share = 1): void {
    const dropped = this.#listJournals().reduce(
      (sum, path) => sum + strikeFile(path.replace(/pages$/, "file"), readFileSync(path), random, share),
      0,
    );
    const hasOldNames = random.chance(share) && this.#restoreNames();
    rmSync(this.#journal, { recursive: true });
    mkdirSync(this.#journal);
    this.#dropped += dropped;
    if (dropped > 0 || hasOldNames) this.#losses++;
  }

  #listJournals(): string[] {
    const names = readdirSync(this.#journal).filter((name) => name.endsWith(".pages"));
    return names.map((name) => join(this.#journal, name));
  }

  /** Gives the folder the names that it had when it was synced last. Returns true if that changes any. */
  #restoreNames(): boolean {
    const list = join(this.#journal, "names");
    if (!existsSync(list)) return false;
    const lines = readFileSync(list, "utf8").split("\n").slice(0, -1);
    const durable = new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), Number.parseInt(line, 10)]));
    let isChanged = false;
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      const status = lstatSync(path);
      if (!status.isFile() || status.ino === durable.get(name)) continue;
      unlinkSync(path);
      isChanged = true;
    }
    for (const [name, inode] of durable) {
      const path = join(this.#directory, name);
      if (existsSync(path)) continue;
      linkSync(join(this.#journal, `${inode}.file`), path);
      isChanged = true;
    }
    return isChanged;
  }
}

/** Drops unsynced writes to one file. Returns the number of sectors. */
function strikeFile(path: string, journal: Buffer, random: Random, share: number): number {
  const { pages, size } = readJournal(journal);
  if (size === undefined) return 0;
  const file = openSync(path, "r+");
  try {
    const current = fstatSync(file).size;
    let end = random.chance(share) ? size : Math.max(size, current);
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
