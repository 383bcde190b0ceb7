import { stringifySpelled } from "../support/json/spelled.js";
/** The tools of one session's calls. Those of calls that were read back from disk are not in memory. */
export class SessionTools {
    #lists;
    #readStored;
    /** Lists that this session keeps in memory. */
    #held = new Set();
    /** @param readStored returns the JSON of a list that is on disk */
    constructor(lists, readStored) {
        this.#lists = lists;
        this.#readStored = readStored;
    }
    /** Keeps the tools of a call. Returns them if this is the first call with them since the session is in memory. */
    add(key, tools) {
        if (key === "" || this.#held.has(key))
            return undefined;
        const list = this.#lists.acquire(key, () => stringifySpelled(tools));
        this.#held.add(key);
        return list;
    }
    /** Returns the JSON of a list; undefined if it was not recorded. */
    read(key) {
        return this.#lists.get(key)?.text ?? this.#readStored(key);
    }
    /** Frees the lists that no other session uses. */
    clear() {
        for (const key of this.#held)
            this.#lists.release(key);
        this.#held.clear();
    }
}
//# sourceMappingURL=session-tools.js.map