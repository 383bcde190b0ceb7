import { isLater, NEVER_SET, stampVersion, type WeightVersion } from "../control/weight-version.js";
import type { VersionFile } from "./version-file.js";

/**
 * The weight version that this server gives to tokens of engines that report none.
 *
 * Whichever version was set last holds, in whatever order servers and gateways hear of it.
 */
export class CurrentVersion {
  readonly #file: VersionFile | undefined;
  #current = NEVER_SET;
  /** Reads and writes of the file, one after the other. */
  #pending: Promise<void> = Promise.resolve();

  /** @param file where servers that start later find the version; undefined: nowhere */
  constructor(file?: VersionFile) {
    this.#file = file;
  }

  get version(): number {
    return this.#current.version;
  }

  /** The version with the time at which it was set. */
  get known(): WeightVersion {
    return this.#current;
  }

  /** Takes over a version that another server or a gateway knows, if it was set later than this server's. */
  takeOver(other: WeightVersion): void {
    if (isLater(other, this.#current)) this.#current = other;
  }

  /** Takes over the version in the file. */
  async readFile(): Promise<void> {
    const found = await this.#file?.read();
    if (found) this.takeOver(found);
  }

  /**
   * Sets the version. Resolves when servers that start from then on find it in the file.
   *
   * @param setAt when a gateway set it on all its workers, in seconds since the epoch; default: now, after all that is known
   */
  set(version: number, setAt?: number): Promise<void> {
    // In order: of two calls without a time, the second must be later.
    this.#pending = this.#pending.then(async () => {
      if (setAt === undefined) await this.readFile();
      this.takeOver(setAt === undefined ? stampVersion(version, this.#current) : { version, set_at: setAt });
      await this.#file?.write(this.#current);
    });
    return this.#pending;
  }
}
