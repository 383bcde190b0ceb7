import { type WeightVersion } from "../control/weight-version.js";
/**
 * The file with the current weight version in the folder `server.workers_folder`. Every worker writes it when the version is
 * set, and reads it when it starts.
 */
export declare class VersionFile {
    #private;
    /** @param report receives problems with the file. They are not fatal: the server runs without the file. */
    constructor(folder: string, report: (problem: string) => void);
    /** Returns the version in the file; undefined if there is no file or it cannot be read. */
    read(): Promise<WeightVersion | undefined>;
    /**
     * Writes a version, unless the file has a later one: a worker that hung may write an old version after the other workers
     * wrote a new one. The file is renamed into place, so that readers never see an incomplete file.
     */
    write(version: WeightVersion): Promise<void>;
}
