/**
 * Batches in shared files that readers use.
 *
 * A reader acknowledges its batch, and the memory of the file is then reused for another batch. A file that is not
 * acknowledged is unlinked when its lease expires or its reader's process ends. It is never overwritten, so memory that
 * the reader still maps keeps its content.
 */
export class SharedExports {
    #leases = new Map();
    get size() {
        return this.#leases.size;
    }
    lend(id, batch, leaseMilliseconds, readerPid) {
        this.#leases.set(id, { batch, expiresAt: Date.now() + leaseMilliseconds, readerPid });
    }
    /** Returns false if there is no lease with this id. */
    acknowledge(id) {
        const lease = this.#leases.get(id);
        if (!lease)
            return false;
        this.#leases.delete(id);
        lease.batch.acknowledge();
        return true;
    }
    /** Unlinks the file of a batch whose response was not delivered. */
    withdraw(id) {
        this.#leases.get(id)?.batch.release();
        this.#leases.delete(id);
    }
    /**
     * Unlinks the files that will not be acknowledged: their lease expired, or their reader has ended or taken the file.
     */
    reap(now = Date.now()) {
        for (const [id, { batch, expiresAt, readerPid }] of this.#leases) {
            const over = now >= expiresAt || batch.taken || (readerPid !== undefined && !isAlive(readerPid));
            if (!over)
                continue;
            this.#leases.delete(id);
            batch.release();
        }
    }
    close() {
        for (const { batch } of this.#leases.values())
            batch.release();
        this.#leases.clear();
    }
}
export function isAlive(pid) {
    try {
        return process.kill(pid, 0);
    }
    catch (error) {
        // EPERM: the process exists but belongs to another user.
        return error.code === "EPERM";
    }
}
//# sourceMappingURL=shared-exports.js.map