import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isLater, type WeightVersion, weightVersionSchema } from "../control/weight-version.js";

/** Not `*.json`, as registrations are: a tag may be any word. */
const NAME = "weight-version";

/**
 * The current weight version in the folder `server.workers_folder`. Every worker writes it when it is set; a worker that
 * starts reads it.
 */
export class VersionFile {
  readonly #path: string;
  readonly #report: (problem: string) => void;

  /** @param report receives what is wrong with the file; a server runs without it all the same */
  constructor(folder: string, report: (problem: string) => void) {
    this.#path = join(folder, NAME);
    this.#report = report;
  }

  /** Returns the version in the file; undefined if there is no file, or none that can be read. */
  async read(): Promise<WeightVersion | undefined> {
    try {
      const text = await readFile(this.#path, "utf8");
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
   * Writes a version unless the file has a later one: a worker that hung may write when the others are further. Readers never
   * see half a file.
   */
  async write(version: WeightVersion): Promise<void> {
    const found = await this.read();
    if (found && !isLater(version, found)) return;
    const draft = `${this.#path}.${randomUUID()}`;
    try {
      await writeFile(draft, `${JSON.stringify(version)}\n`);
      await rename(draft, this.#path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const consequence = `A server that starts later does not find weight version ${version.version} there.`;
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
