import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Registration, registrationSchema } from "../control/worker-registration.js";

/** Where workers are said to be. All three are looked at. */
export interface WorkerSources {
  readonly urls: readonly string[];
  /** A file with a URL a line; what follows a # is left out. */
  readonly file?: string | undefined;
  /** A folder in which servers register. */
  readonly folder?: string | undefined;
}

export interface WorkerAddress {
  readonly url: string;
  /** Known where the worker registered. */
  readonly tag?: string | undefined;
}

/** Reads the sources again when they changed. What cannot be read now stays as it was. */
export class WorkerAddresses {
  readonly #sources: WorkerSources;
  readonly #report: (problem: string) => void;
  #file: { readonly changed: number; readonly urls: readonly string[] } = { changed: -1, urls: [] };
  #registered = new Map<string, Registration>();

  constructor(sources: WorkerSources, report: (problem: string) => void) {
    this.#sources = sources;
    this.#report = report;
  }

  /** Each URL once. */
  async read(): Promise<WorkerAddress[]> {
    await Promise.all([this.#readFile(), this.#readFolder()]);
    const addresses = new Map<string, WorkerAddress>();
    for (const url of [...this.#sources.urls, ...this.#file.urls]) addresses.set(originOf(url), { url: originOf(url) });
    for (const { url, tag } of this.#registered.values()) addresses.set(originOf(url), { url: originOf(url), tag });
    return [...addresses.values()];
  }

  async #readFile(): Promise<void> {
    const { file } = this.#sources;
    if (file === undefined) return;
    try {
      const { mtimeMs } = await stat(file);
      if (mtimeMs === this.#file.changed) return;
      const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.replace(/#.*/, "").trim());
      const urls = lines.filter((line) => URL.canParse(line));
      const unread = lines.filter((line) => line !== "" && !URL.canParse(line));
      if (unread.length > 0) this.#report(`${file} has lines that are no URLs, the first is "${unread[0]}"`);
      this.#file = { changed: mtimeMs, urls };
    } catch (error) {
      this.#report(`${file} cannot be read: ${reasonOf(error)}`);
    }
  }

  async #readFolder(): Promise<void> {
    const { folder } = this.#sources;
    if (folder === undefined) return;
    try {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
      const found = await Promise.all(
        names.map(async (name) => [name, await this.#readRegistration(folder, name)] as const),
      );
      this.#registered = new Map(found.flatMap(([name, known]) => (known ? [[name, known] as const] : [])));
    } catch (error) {
      if (!isMissing(error)) this.#report(`${folder} cannot be read: ${reasonOf(error)}`);
    }
  }

  /** A file is written once and never changed: its name has the tag, and each start of a server makes a new one. */
  async #readRegistration(folder: string, name: string): Promise<Registration | undefined> {
    const known = this.#registered.get(name);
    if (known) return known;
    try {
      const parsed = registrationSchema.safeParse(JSON.parse(await readFile(join(folder, name), "utf8")));
      if (parsed.success) return parsed.data;
      this.#report(`${name} in ${folder} is not a server's registration`);
    } catch (error) {
      if (!isMissing(error)) this.#report(`${name} in ${folder} cannot be read: ${reasonOf(error)}`);
    }
    return undefined;
  }
}

function originOf(url: string): string {
  return new URL(url).origin;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
