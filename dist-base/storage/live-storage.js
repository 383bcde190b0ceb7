import { statSync } from "node:fs";
import { join } from "node:path";
import { LmdbFile } from "./database.js";
import { DATA_FILE } from "./file-names.js";
import { isFolderOpen } from "./folder.js";
import { OfflineStorage } from "./offline-storage.js";
/**
 * Opens a folder for reading. If a server has it open, reads go through LMDB, and all of them see the same commit.
 */
export function openForReading(directory) {
    if (!isFolderOpen(directory))
        return { reader: OfflineStorage.open(directory), isOpen: false };
    return { reader: new LiveStorage(directory), isOpen: true };
}
class LiveStorage {
    #path;
    #file;
    #snapshot;
    constructor(directory) {
        this.#path = join(directory, DATA_FILE);
        this.#file = new LmdbFile({ path: this.#path, sync: true, readOnly: true });
        this.#snapshot = this.#file.takeSnapshot();
    }
    get(table, key) {
        return this.#snapshot.get(table, key);
    }
    range(table, prefix = new Uint8Array()) {
        return this.#snapshot.range(table, prefix);
    }
    readSize() {
        return { fileBytes: statSync(this.#path).size, usedBytes: this.#snapshot.usedBytes };
    }
    close() {
        this.#snapshot.release();
        return this.#file.close();
    }
}
//# sourceMappingURL=live-storage.js.map