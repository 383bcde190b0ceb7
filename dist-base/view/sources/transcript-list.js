import { toColumns } from "../columns.js";
/** The lines of a transcript's index by kind. It grows with the transcript. */
export class TranscriptList {
    run = null;
    steps = [];
    batches = [];
    #episodes = [];
    /** Position of a session's newest episode. */
    #positions = new Map();
    /** Batches that have tokens of a session, by its id: one, or several shards. */
    #batchesOf = new Map();
    /** For each line, the first episode that it adds or changes. */
    #changed = [];
    /** Number of lines. */
    get length() {
        return this.#changed.length;
    }
    get episodes() {
        return this.#episodes;
    }
    add(line) {
        const before = this.#episodes.length;
        let changed = before;
        if (line.type === "run")
            this.run ??= withoutPlace(line);
        else if (line.type === "step")
            this.steps.push(withoutPlace(line));
        else if (line.type === "episode") {
            this.#episodes.push(line);
            if (line.session_id !== undefined)
                this.#positions.set(line.session_id, before);
        }
        else {
            this.batches.push(withoutPlace(line));
            for (const id of line.session_ids) {
                const known = this.#batchesOf.get(id);
                if (known)
                    known.push(line);
                else
                    this.#batchesOf.set(id, [line]);
                changed = Math.min(changed, this.#positions.get(id) ?? changed);
            }
        }
        this.#changed.push(changed);
    }
    /** Returns the batches that have tokens of an episode. */
    batchesOf({ session_id: id }) {
        return (id === undefined ? undefined : this.#batchesOf.get(id)) ?? [];
    }
    /** Returns the overview. Its episodes begin with the first one that lines from `line` on have added or changed. */
    overview(line, { isReadable, ...facts }) {
        // Not `Math.min(...lines)`, which has too many arguments for a long transcript.
        const first = this.#changed.slice(line).reduce((least, each) => Math.min(least, each), this.#episodes.length);
        const batchOf = (episode) => this.batchesOf(episode)[0]?.number ?? -1;
        const episodes = toColumns(this.#episodes.slice(first), batchOf);
        const batches = this.batches.map(({ number, file, version, at }) => {
            return { number, file, version, at, readable: isReadable(file) };
        });
        return { ...facts, run: this.run, batches, steps: this.steps, first, episodes };
    }
}
function withoutPlace(entry) {
    const { offset: _offset, length: _length, ...line } = entry;
    return line;
}
//# sourceMappingURL=transcript-list.js.map