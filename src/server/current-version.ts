import { isLater, NEVER_SET, stampVersion, type WeightVersion } from "../admin-api/weight-version.js";
import type { VersionFile } from "./version-file.js";

/**
 * The weight version that this server records for tokens of engines that report none.
 *
 * The version that was set last is current, in whatever order servers and gateways learn of versions.
 */
export class CurrentVersion {
  readonly #file: VersionFile | undefined;
  readonly #onChange: (version: WeightVersion) => void;
  #current = NEVER_SET;
  /** Resolves when the last call of {@link set} is complete. Calls run one after the other. */
  #pending: Promise<void> = Promise.resolve();

  /**
   * @param file from which servers that start later read the version; undefined if the server has no shared folder
   * @param onChange receives each version that becomes current
   */
  constructor(file?: VersionFile, onChange: (version: WeightVersion) => void = () => undefined) {
    this.#file = file;
    this.#onChange = onChange;
  }

  get version(): number {
    return this.#current.version;
  }

  /** The version with the time at which it was set. */
  get known(): WeightVersion {
    return this.#current;
  }

  /** Takes over the version of another server or a gateway, if it was set later than this server's version. */
  takeOver(other: WeightVersion): void {
    if (!isLater(other, this.#current)) return;
    this.#current = other;
    this.#onChange(other);
  }

  /** Takes over the version in the file. */
  async readFile(): Promise<void> {
    const found = await this.#file?.read();
    if (found) this.takeOver(found);
  }

  /**
   * Sets the version. Resolves when the version is in the file, for servers that start later.
   *
   * @param setAt when a gateway set it on all its workers, in seconds since the epoch. Default: now, but later than any version
   * that this server knows.
   */
  set(version: number, setAt?: number): Promise<void> {
    // One after the other: if two calls have no time, the second must get a later one.
    this.#pending = this.#pending.then(async () => {
      if (setAt === undefined) await this.readFile();
      this.takeOver(setAt === undefined ? stampVersion(version, this.#current) : { version, set_at: setAt });
      await this.#file?.write(this.#current);
    });
    return this.#pending;
  }
}
