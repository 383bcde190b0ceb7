import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { readRegularFileSync } from "../support/regular-file.js";

const FILE = "job.commit";

/**
 * The number of a database's last commit, in a file beside it.
 *
 * It is written after the commit and not forced to the disk: it may be behind the database, never ahead of it.
 */
export class LastCommit {
  readonly #file: number;
  readonly #known: number;

  constructor(directory: string) {
    const path = join(directory, FILE);
    this.#file = openSync(path, "a+", 0o600);
    closeSync(this.#file);
    this.#known = read(path);
    this.#file = openSync(path, "r+");
  }

  /** @throws Error if the database lacks commits that were confirmed */
  require(commits: number): void {
    if (commits >= this.#known) return;
    const lost = this.#known - commits;
    throw new Error(
      `its last ${lost} of ${this.#known} commits are missing: the end of job.db-wal is damaged or was removed`,
    );
  }

  note(number: number): void {
    const text = String(number).padStart(16, "0");
    writeSync(this.#file, `${text} ${crc32(text).toString(16).padStart(8, "0")}\n`, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Returns 0 if the file is empty, or was written only in part by a machine that lost its power. */
function read(path: string): number {
  const [text = "", sum] = readRegularFileSync(path).trim().split(" ");
  return sum !== undefined && Number.parseInt(sum, 16) === crc32(text) ? Number(text) : 0;
}
