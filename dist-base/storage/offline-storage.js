import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { runAtOnce } from "../support/async/steps.js";
import { TABLES } from "./changes.js";
import { dropUnconfirmedPages } from "./commit-state.js";
import { unusableFolderError } from "./errors.js";
import { DATA_FILE } from "./file-names.js";
import { lockForChange, lockForCommand } from "./folder.js";
import { LogOverlay } from "./log/log-overlay.js";
import { readUnapplied } from "./log/read-log.js";
import { FileCheck } from "./pages/check-file.js";
import { readTree, TREE_BYTES } from "./pages/meta-page.js";
import { PageError, PageFile } from "./pages/page-file.js";
import { TABLE } from "./pages/page-nodes.js";
import { ALL_KEYS, compareNumbers, walkTree } from "./pages/walk-tree.js";
import { rangeOfPrefix } from "./prefix-range.js";
/**
 * The folder of a server that is not running, as the server would find it at its start: the data file and the changes in the log that it
 * does not have yet. Reading changes nothing and creates no files. A damaged file can be read as far as it is intact.
 */
export class OfflineStorage {
    directory;
    #lock;
    #file;
    #tables;
    /** Damage of the file's own structure. */
    #structure;
    /** Undefined for a copy of the file, which has no log. */
    #overlay;
    /** Why confirmed changes are missing in the log; undefined if none is. */
    logDamage;
    constructor(directory, lock, copy) {
        this.directory = directory;
        this.#lock = lock;
        this.#file = new PageFile(join(directory, copy ?? DATA_FILE));
        const damage = this.#file.damagedMeta.map((page) => ({
            ...ALL_KEYS,
            table: undefined,
            reason: `page ${page} is damaged: it is not a valid meta page`,
        }));
        this.#tables = this.#readTables((reason) => damage.push({ ...reason, table: undefined }));
        this.#structure = damage;
        if (copy !== undefined)
            return;
        const log = readUnapplied(directory, this);
        this.logDamage = log.damage;
        this.#overlay = new LogOverlay(log);
    }
    /** True if reads also see the changes that are in the log only. */
    get includesLog() {
        return this.#overlay !== undefined;
    }
    /**
     * Opens the folder and keeps servers from opening it.
     *
     * @throws StorageError `storage_unusable` if a server has it open or it has no storage
     */
    static open(directory) {
        return openLocked(directory, lockForCommand, (lock) => new OfflineStorage(directory, lock));
    }
    /**
     * Opens the folder like {@link open}, to replace its file. Creates the lock file if it is missing.
     *
     * @throws StorageError `storage_unusable`
     */
    static openForChange(directory) {
        return openLocked(directory, lockForChange, (lock) => new OfflineStorage(directory, lock));
    }
    /**
     * Opens a copy of the file in the folder. The folder must be locked.
     *
     * @throws PageError if it is damaged
     */
    static openCopy(directory, name) {
        return new OfflineStorage(directory, undefined, name);
    }
    /**
     * Reads a value.
     *
     * @throws PageError if it is damaged
     */
    get(table, key) {
        for (const entry of this.range(table, key))
            return entry.key.equals(key) ? entry.value : undefined;
        return undefined;
    }
    /**
     * Reads all entries whose keys begin with `prefix`, in ascending order of keys.
     *
     * @throws PageError at the first damaged page
     */
    *range(table, prefix = new Uint8Array()) {
        yield* this.#read(table, rangeOfPrefix(prefix), ({ reason }) => {
            throw new PageError(reason);
        });
    }
    /** Reads all entries of a table that can be read, and reports those that cannot. */
    *scan(table, onDamage) {
        yield* this.#read(table, ALL_KEYS, onDamage);
    }
    /** Checks the parts of the file that have no records: the list of tables and the list of free pages. */
    checkStructure(onDamage) {
        for (const damage of this.#structure)
            onDamage(damage);
        if (this.logDamage !== undefined)
            onDamage({ ...ALL_KEYS, table: undefined, reason: this.logDamage });
        const onLost = (lost) => onDamage({ ...ALL_KEYS, table: undefined, reason: lost.reason });
        let entries = 0;
        let isWhole = true;
        const fail = (lost) => {
            isWhole = false;
            onLost(lost);
        };
        for (const entry of walkTree(this.#file, this.#file.meta.free, { compare: compareNumbers, onLost: fail })) {
            entries++;
            try {
                entry.read();
            }
            catch (error) {
                fail({ ...ALL_KEYS, reason: toReason(error) });
            }
        }
        const expected = this.#file.meta.free.entries;
        if (isWhole && entries !== expected) {
            onLost({ ...ALL_KEYS, reason: `entries of the list of free pages: ${entries} instead of ${expected}` });
        }
    }
    /** Returns why a server would refuse the file; undefined if it would not. See {@link FileCheck}. */
    findDamage() {
        return runAtOnce(new FileCheck(this.#file).run());
    }
    readSize() {
        const { byteLength, pageSize } = this.#file;
        const pages = [...this.#tables.values()].map(({ pages }) => pages.branch + pages.leaf + pages.value);
        const usedBytes = pages.reduce((sum, count) => sum + count, 0) * pageSize;
        // Counters of a damaged file can have any value.
        return { fileBytes: byteLength, usedBytes: Math.min(usedBytes, byteLength) };
    }
    close() {
        this.#file.close();
        this.#lock?.release();
    }
    [Symbol.dispose]() {
        this.close();
    }
    #readTables(onLost) {
        const tables = new Map();
        for (const { key, flags, read } of walkTree(this.#file, this.#file.meta.main, { onLost })) {
            const name = TABLES.find((table) => isName(key, table));
            if (!name || (flags & TABLE) === 0)
                continue;
            const value = read();
            if (value.length === TREE_BYTES)
                tables.set(name, readTree(value));
            else
                onLost({ ...ALL_KEYS, reason: `the table ${name} is damaged` });
        }
        return tables;
    }
    #read(table, range, onDamage) {
        const entries = this.#readFile(table, range, onDamage);
        return this.#overlay?.merge(table, range, entries) ?? entries;
    }
    *#readFile(table, range, onDamage) {
        const tree = this.#tables.get(table);
        if (!tree) {
            // Without damage, nothing was ever written to the table.
            const [damage] = this.#structure;
            if (damage)
                onDamage({ ...range, table, reason: damage.reason });
            return;
        }
        let entries = 0;
        let isWhole = true;
        const onLost = (lost) => {
            isWhole = false;
            onDamage({ ...lost, table });
        };
        for (const { key, read } of walkTree(this.#file, tree, { range, onLost })) {
            entries++;
            let value;
            try {
                value = read();
            }
            catch (error) {
                onLost({ from: key, to: Buffer.concat([key, Buffer.of(0)]), reason: toReason(error) });
                continue;
            }
            yield { key, value };
        }
        const isComplete = range === ALL_KEYS && isWhole;
        if (isComplete && entries !== tree.entries) {
            onDamage({ ...range, table, reason: `entries of the table: ${entries} instead of ${tree.entries}` });
        }
    }
}
function openLocked(directory, lockFolder, open) {
    requireStorage(directory);
    const lock = lockFolder(directory);
    try {
        dropUnconfirmedPages(join(directory, DATA_FILE));
        return open(lock);
    }
    catch (error) {
        lock?.release();
        if (error instanceof PageError) {
            throw unusableFolderError(directory, `has a file ${DATA_FILE} that cannot be read: ${error.message}`, error);
        }
        throw error;
    }
}
/** Names of tables may end with a zero byte. */
function isName(key, table) {
    const name = key.at(-1) === 0 ? key.subarray(0, -1) : key;
    return name.toString() === table;
}
function requireStorage(directory) {
    try {
        accessSync(join(directory, DATA_FILE), constants.R_OK);
    }
    catch (error) {
        throw unusableFolderError(directory, describeMissing(directory, error), error);
    }
}
function describeMissing(directory, { code, message }) {
    if (code === "ENOTDIR")
        return "is not a folder";
    if (code !== "ENOENT")
        return `cannot be read: ${message}`;
    return existsSync(directory) ? `has no file ${DATA_FILE}: no server stored sessions there` : "does not exist";
}
function toReason(error) {
    if (error instanceof PageError)
        return error.message;
    throw error;
}
//# sourceMappingURL=offline-storage.js.map