/**
 * The tools of all sessions of a process. Sessions with the same tools share one text, which is freed with the last session that uses it.
 * It counts in the memory of all sessions together.
 */
export class ToolLists {
    #tally;
    #lists = new Map();
    constructor(tally = { bytes: 0 }) {
        this.#tally = tally;
    }
    /** Number of different lists. */
    get size() {
        return this.#lists.size;
    }
    /**
     * Adds a user of a list.
     *
     * @param write returns the text of the list; called only for a list that no session uses
     */
    acquire(key, write) {
        let known = this.#lists.get(key);
        if (!known) {
            const list = { key, text: write() };
            known = { list, bytes: Buffer.byteLength(list.text), users: 0 };
            this.#lists.set(key, known);
            this.#tally.bytes += known.bytes;
        }
        known.users++;
        return known.list;
    }
    /** Removes a user of a list. */
    release(key) {
        const known = this.#lists.get(key);
        if (!known || --known.users > 0)
            return;
        this.#lists.delete(key);
        this.#tally.bytes -= known.bytes;
    }
    get(key) {
        return this.#lists.get(key)?.list;
    }
}
//# sourceMappingURL=tool-lists.js.map