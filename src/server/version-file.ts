import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isLater, type WeightVersion, weightVersionSchema } from "../admin-api/weight-version.js";
import { readRegularFile } from "../support/regular-file.js";

/** Has no suffix `.json`: every `*.json` in the folder is the registration of a worker. */
const NAME = "weight-version";

const MAX_BYTES = 64 * 1024;

/**
 * The file with the current weight version in the folder `server.workers_folder`. Every worker writes it when the version is
 * set, and reads it when it starts.
 */
export class VersionFile {
  readonly #path: string;
  readonly #report: (problem: string) => void;

  /** @param report receives problems with the file. They are not fatal: the server runs without the file. */
  constructor(folder: string, report: (problem: string) => void) {
    this.#path = join(folder, NAME);
    this.#report = report;
  }

  /** Returns the version in the file; undefined if there is no file or it cannot be read. */
  async read(): Promise<WeightVersion | undefined> {
    try {
      const text = await readRegularFile(this.#path, MAX_BYTES);
      const parsed = weightVersionSchema.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      const received = JSON.stringify(text.slice(0, 100));
      this.#report(`${this.#path} must hold {"version": …, "set_at": …}; received ${received}. It is ignored.`);
    } catch (error) {
      if (!isMissing(error)) this.#report(`${this.#path} cannot be read: ${String(error)}. It is ignored.`);
    }
    return undefined;
  }

  /**
   * Writes a version, unless the file has a later one: a worker that hung may write an old version after the other workers
   * wrote a new one. The file is renamed into place, so that readers never see an incomplete file.
   */
  async write(version: WeightVersion): Promise<void> {
    const current = await this.read();
    if (current && !isLater(version, current)) return;
    const draft = `${this.#path}.${randomUUID()}`;
    try {
      await writeFile(draft, `${JSON.stringify(version)}\n`);
      await rename(draft, this.#path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const consequence = `Servers that start later do not learn weight version ${version.version}.`;
      this.#report(`${this.#path} cannot be written: ${String(error)}. ${consequence}`);
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
