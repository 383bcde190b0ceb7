import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { open } from "lmdb";
import { TABLES } from "./changes.js";
import { CommitState } from "./commit-state.js";
import { FAILED_SYNC, hasFailedSync, markFailedSync } from "./failed-sync.js";
import { rewriteMetaPages } from "./meta-pages.js";
import { asBuffer, rangeOfPrefix } from "./prefix-range.js";
/** From lmdb.h. */
const MDB_PANIC = -30_795;
const PANIC = "a meta page could not be written, so LMDB neither writes nor reads in this process. Restart the server";
const ENCODING = { encoding: "binary", keyEncoding: "binary" };
/** The LMDB file with its tables, as opened by one thread. All threads of a process that open the same path share one memory map. */
export class LmdbFile {
    #root;
    #tables;
    #path;
    #sync;
    /** Opened at the first commit. */
    #descriptor;
    /** Opened at the first commit. */
    #commitState;
    #syncFailed = false;
    constructor({ path, sync, readOnly }) {
        this.#path = path;
        this.#sync = sync;
        this.#root = open({
            path,
            noSubdir: true,
            // If true, a commit would return before it is on disk.
            overlappingSync: false,
            noSync: !sync,
            // `commit` syncs the meta page. If LMDB did and the disk refused, LMDB would accept no more transactions in this process.
            noMetaSync: true,
            readOnly,
            maxDbs: TABLES.length + 1,
            ...ENCODING,
        });
        this.#tables = new Map(TABLES.map((name) => [name, this.#root.openDB(name, ENCODING)]));
    }
    /**
     * Commits changes, all or none. Blocks its thread until they are on disk. If it throws, the changes may be visible, and may be on disk
     * after a crash. After a sync that failed, it commits nothing more.
     */
    commit(changes) {
        if (!this.#sync) {
            this.#put(changes);
            return;
        }
        if (this.#syncFailed)
            throw new Error(FAILED_SYNC);
        this.#commitState ??= new CommitState(this.#path);
        this.#commitState.begin();
        try {
            this.#descriptor ??= this.#openSynced();
            this.#put(changes);
            fdatasyncSync(this.#descriptor);
        }
        catch (error) {
            if (!isSyncError(error))
                throw error;
            this.#syncFailed = true;
            markFailedSync(this.#path);
            throw new Error(`${FAILED_SYNC} (${error.message})`, { cause: error });
        }
        this.#commitState.end();
    }
    #openSynced() {
        if (hasFailedSync(this.#path))
            throw new Error(FAILED_SYNC);
        const descriptor = openSync(this.#path, "r+");
        rewriteMetaPages(descriptor);
        return descriptor;
    }
    #put(changes) {
        try {
            this.#root.transactionSync(() => {
                for (const { table, key, value } of changes) {
                    if (value === undefined)
                        this.#table(table).removeSync(asBuffer(key));
                    else
                        this.#table(table).putSync(asBuffer(key), asBuffer(value));
                }
            });
        }
        catch (error) {
            throw this.#hasPanicked() ? new Error(PANIC, { cause: error }) : error;
        }
    }
    /** Returns true if LMDB accepts no more transactions in this process. */
    #hasPanicked() {
        try {
            this.#newest("meta").get(Buffer.of(0));
            return false;
        }
        catch (error) {
            return error.code === MDB_PANIC;
        }
    }
    get(table, key) {
        return this.#newest(table).get(asBuffer(key));
    }
    /** Adds the entries of these keys to a block, in their order. Keys without a value are left out. */
    readInto(block, table, keys) {
        const newest = this.#newest(table);
        for (const key of keys) {
            // The next read overwrites the value, and its buffer may be larger than `length`.
            const value = newest.getBinaryFast(key);
            if (value)
                block.add(key, value.subarray(0, value.length));
        }
    }
    /** Reads all entries whose keys begin with `prefix`, in ascending order of keys. */
    range(table, prefix) {
        return this.#newest(table).getRange(toRange(prefix));
    }
    keys(table, prefix) {
        return this.#newest(table).getKeys(toRange(prefix));
    }
    /** Returns the number of bytes in pages with data. */
    readUsedBytes() {
        this.#root.resetReadTxn();
        let bytes = 0;
        for (const table of this.#tables.values()) {
            const stats = table.getStats();
            bytes += stats.pageSize * (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages);
        }
        return bytes;
    }
    /** Commits entries whose keys come after all keys of their table, in ascending order. They fill their pages. */
    append(entries) {
        this.#root.transactionSync(() => {
            for (const { table, key, value } of entries)
                this.#table(table).putSync(key, value, { append: true });
        });
    }
    /** Returns a view of the newest commit that later commits do not change. */
    takeSnapshot() {
        const usedBytes = this.readUsedBytes();
        // This runs in the same turn of the event loop, and therefore in the transaction that read the size.
        const transaction = this.#root.useReadTransaction();
        return {
            usedBytes,
            get: (table, key) => this.#table(table).get(asBuffer(key), { transaction }),
            range: (table, prefix) => this.#table(table).getRange({ ...toRange(prefix), transaction }),
            release: () => transaction.done(),
        };
    }
    async close() {
        await this.#root.close();
        if (this.#descriptor !== undefined)
            closeSync(this.#descriptor);
        this.#descriptor = undefined;
        this.#commitState?.close();
        this.#commitState = undefined;
    }
    /** Returns a table for reading its newest content. Without the reset, a read could miss the last commits of another thread. */
    #newest(name) {
        this.#root.resetReadTxn();
        return this.#table(name);
    }
    #table(name) {
        const table = this.#tables.get(name);
        if (!table)
            throw new Error(`The storage has no table ${name}.`);
        return table;
    }
}
/**
 * Returns true for an error of the system that came from a sync. LMDB reports that of `fdatasync` as it is, and describes a write that
 * was refused. A refused write changes nothing that was committed.
 */
function isSyncError(error) {
    const { code, syscall, message } = error;
    if (syscall !== undefined)
        return syscall === "fdatasync" || syscall === "write";
    return typeof code === "number" && code > 0 && !message.includes("Attempting to write");
}
function toRange(prefix) {
    const { from, to } = rangeOfPrefix(prefix);
    return { ...(from ? { start: from } : {}), ...(to ? { end: to } : {}) };
}
//# sourceMappingURL=database.js.map