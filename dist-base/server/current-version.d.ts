import { type WeightVersion } from "../control/weight-version.js";
import type { VersionFile } from "./version-file.js";
/**
 * The weight version that this server records for tokens of engines that report none.
 *
 * The version that was set last is current, in whatever order servers and gateways learn of versions.
 */
export declare class CurrentVersion {
    #private;
    /**
     * @param file from which servers that start later read the version; undefined if the server has no shared folder
     * @param onChange receives each version that becomes current
     */
    constructor(file?: VersionFile, onChange?: (version: WeightVersion) => void);
    get version(): number;
    /** The version with the time at which it was set. */
    get known(): WeightVersion;
    /** Takes over the version of another server or a gateway, if it was set later than this server's version. */
    takeOver(other: WeightVersion): void;
    /** Takes over the version in the file. */
    readFile(): Promise<void>;
    /**
     * Sets the version. Resolves when the version is in the file, for servers that start later.
     *
     * @param setAt when a gateway set it on all its workers, in seconds since the epoch. Default: now, but later than any version
     * that this server knows.
     */
    set(version: number, setAt?: number): Promise<void>;
}
