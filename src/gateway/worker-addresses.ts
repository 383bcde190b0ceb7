import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { MAX_REGISTRATION_BYTES, type Registration, registrationSchema } from "../admin-api/worker-registration.js";
import { untilAborted } from "../support/async/until-aborted.js";
import { readRegularFile } from "../support/regular-file.js";
import { DnsAddresses, type WorkerName } from "./dns-addresses.js";

/** The sources of worker addresses. All of them are used. */
export interface WorkerSources {
  readonly urls: readonly string[];
  /** A folder in which servers register. */
  readonly folder?: string | undefined;
  readonly discover?: WorkerName | undefined;
}

export interface WorkerAddress {
  readonly url: string;
  /** Known if the worker registered in the folder. */
  readonly tag?: string | undefined;
  /** True if it comes from DNS, which leaves out workers that are not ready but have sessions. */
  readonly isDiscovered?: boolean;
}

interface RegistrationFile {
  /** Identifies the content of the file; changes when the file is replaced. */
  readonly version: string;
  readonly registration: Registration;
}

/** Time limit for reading the folder. Reads from a network file system whose server is gone never end. */
const READ_MS = 5000;

/** Reads the addresses of workers. If a source cannot be read, its last addresses stay valid. */
export class WorkerAddresses {
  readonly #sources: WorkerSources;
  readonly #report: (problem: string) => void;
  readonly #dns: DnsAddresses | undefined;
  #registered = new Map<string, RegistrationFile>();

  #reading: Promise<void> | undefined;
  readonly #readMilliseconds: number;

  constructor(sources: WorkerSources, report: (problem: string) => void, readMilliseconds = READ_MS) {
    this.#readMilliseconds = readMilliseconds;
    this.#sources = sources;
    this.#report = report;
    this.#dns = sources.discover && new DnsAddresses(sources.discover, report);
  }

  /** Returns the current addresses, each URL once. */
  async read(): Promise<WorkerAddress[]> {
    // A read that never ends blocks a thread of the process, so only one runs at a time.
    this.#reading ??= this.#readFolder().finally(() => (this.#reading = undefined));
    const limit = AbortSignal.timeout(this.#readMilliseconds);
    const read = untilAborted(this.#reading, limit).catch(() =>
      this.#report(`${this.#sources.folder} cannot be read in time`),
    );
    const [discovered = []] = await Promise.all([this.#dns?.read(), read]);
    const addresses = new Map<string, WorkerAddress>();
    for (const url of discovered) addresses.set(toOrigin(url), { url: toOrigin(url), isDiscovered: true });
    for (const url of this.#sources.urls) addresses.set(toOrigin(url), { url: toOrigin(url) });
    for (const { registration } of this.#registered.values()) {
      const { url, tag } = registration;
      addresses.set(toOrigin(url), { url: toOrigin(url), tag });
    }
    return [...addresses.values()];
  }

  async #readFolder(): Promise<void> {
    const { folder } = this.#sources;
    if (folder === undefined) return;
    try {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
      const registrations = await Promise.all(
        names.map(async (name) => [name, await this.#readRegistration(folder, name)] as const),
      );
      this.#registered = new Map(registrations.flatMap(([name, file]) => (file ? [[name, file] as const] : [])));
    } catch (error) {
      if (!isMissing(error)) this.#report(`${folder} cannot be read: ${describeError(error)}`);
    }
  }

  /** Reads a file only if it is new or was replaced. A server that returns with its tag replaces its file. */
  async #readRegistration(folder: string, name: string): Promise<RegistrationFile | undefined> {
    const path = join(folder, name);
    const known = this.#registered.get(name);
    try {
      const { ino, mtimeMs, size } = await stat(path);
      const version = `${ino} ${mtimeMs} ${size}`;
      if (known?.version === version) return known;
      const parsed = registrationSchema.safeParse(JSON.parse(await readRegularFile(path, MAX_REGISTRATION_BYTES)));
      if (parsed.success) return { version, registration: parsed.data };
      this.#report(`${name} in ${folder} is not the registration of a server. It is ignored.`);
    } catch (error) {
      if (isMissing(error)) return undefined;
      this.#report(`${name} in ${folder} cannot be read: ${describeError(error)}`);
      return known;
    }
    return undefined;
  }
}

function toOrigin(url: string): string {
  return new URL(url).origin;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
