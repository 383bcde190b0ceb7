import { existsSync } from "node:fs";
import { chmod, link, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { forgetCommitState } from "./commit-state.js";
import { checkCopy, writeCopy } from "./copy-entries.js";
import { unusableFolderError } from "./errors.js";
import { COPY_FILE, DATA_FILE, LOG_FILES } from "./file-names.js";
import { inspectFileSystem } from "./file-system.js";
import { removeCopy } from "./folder.js";
import { removeLog } from "./log/recover-log.js";
/** Space for the pages that a copy has in addition to those with data. */
const SPARE_BYTES = 2 ** 20;
/**
 * Replaces the file of a folder with a copy that has its entries and no unused pages. The file stays as it is until the copy is on disk
 * and was read back. Never passes the file to LMDB, which would end the process at a damaged page.
 *
 * @param storage opened with {@link OfflineStorage.openForChange}
 * @throws StorageError `storage_unusable` if the copy cannot be written, for example because the disk has too little space
 */
export async function compactStorage(storage, { isKept = () => true, keepOriginal }) {
    const { directory } = storage;
    const before = storage.readSize();
    await requireSpace(directory, before);
    const [path, copy] = [join(directory, DATA_FILE), join(directory, COPY_FILE)];
    try {
        await removeCopy(directory);
        const digests = await writeCopy(copy, storage, isKept);
        await chmod(copy, (await stat(path)).mode);
        await sync(copy);
        const after = checkCopy(directory, COPY_FILE, digests);
        const original = keepOriginal ? await linkOriginal(directory, DATA_FILE) : undefined;
        await rename(copy, path);
        forgetCommitState(path);
        await removeCopy(directory);
        await sync(directory);
        // The copy has the changes of the log.
        if (storage.logDamage !== undefined)
            await keepDamagedLog(directory);
        else if (storage.includesLog)
            removeLog(directory);
        return { before, after, original };
    }
    catch (error) {
        await removeCopy(directory);
        const reason = error instanceof Error ? error.message : String(error);
        throw unusableFolderError(directory, `cannot be compacted: ${reason}. Its file ${DATA_FILE} was not changed`, error);
    }
}
async function requireSpace(directory, { usedBytes }) {
    const { freeBytes } = await inspectFileSystem(directory);
    const needed = usedBytes + SPARE_BYTES;
    if (freeBytes >= needed)
        return;
    throw unusableFolderError(directory, `cannot be compacted: the copy needs ${needed} bytes, but ${freeBytes} are free`);
}
async function keepDamagedLog(directory) {
    for (const name of LOG_FILES)
        if (existsSync(join(directory, name)))
            await linkOriginal(directory, name);
    removeLog(directory);
}
/** Gives a file a second name that no file has. Returns the name. */
async function linkOriginal(directory, file) {
    for (let n = 1;; n++) {
        const name = `${file}.damaged${n === 1 ? "" : `-${n}`}`;
        try {
            await link(join(directory, file), join(directory, name));
            return name;
        }
        catch (error) {
            if (error.code !== "EEXIST")
                throw error;
        }
    }
}
/** Waits until a file, or the names in a folder, are on disk. */
async function sync(path) {
    const file = await open(path, "r");
    try {
        await file.sync();
    }
    finally {
        await file.close();
    }
}
//# sourceMappingURL=compact-storage.js.map