import { basename, dirname } from "node:path";
import { ApiError } from "../../http/errors.js";
import { sleep } from "../../support/async/sleep.js";
import { TranscriptError } from "../../transcript/errors.js";
import { Transcript } from "../../transcript/read-index.js";
import { BatchCache } from "../tokens/batch-cache.js";
import { RowTokens } from "../tokens/row-tokens.js";
import { readTokenSlice } from "../tokens/token-slice.js";
import { searchEpisodes } from "./search-episodes.js";
import { chooseTexts, loadNamed, NO_TEXTS } from "./token-model.js";
import { TranscriptList } from "./transcript-list.js";
/** Maximum time that a request for changes waits. Proxies and browsers close connections that are silent for much longer. */
const WAIT_MS = 20_000;
const POLL_MS = 500;
/** Episodes of a transcript file, which may still grow. */
export class TranscriptSource {
    #path;
    #notices;
    #model;
    #batches;
    #transcript;
    #list = new TranscriptList();
    /** Revision at which the file was opened. It increases if another job replaces the file. */
    #base = 1;
    #texts = NO_TEXTS;
    /** The last overview: the command and the page ask for it at the start. */
    #whole;
    #textsOf;
    #readable = new Set();
    /** The episode that was read last: a page asks for its tokens call by call. */
    #last;
    #refreshing;
    /** Resolves when the lines that the file had at first are read. */
    #first;
    constructor(path, transcript, { model, notices = [] }) {
        this.#path = path;
        this.#transcript = transcript;
        this.#notices = notices;
        this.#batches = new BatchCache(dirname(path));
        this.#model = loadNamed(model);
        // An error of the file system: the next request tries again and reports it.
        this.#first = this.#refresh().catch(() => undefined);
    }
    /**
     * Opens a transcript. It is read while the page loads; requests wait for it.
     *
     * @throws TranscriptError, ModelFolderError, or an error of the file system
     */
    static async open(path, options = {}) {
        const source = new TranscriptSource(path, await Transcript.openUnread(path), options);
        try {
            await source.#model;
            return source;
        }
        catch (error) {
            await source[Symbol.asyncDispose]();
            throw error;
        }
    }
    async overview() {
        await this.#refresh();
        const of = `${this.#revision} ${this.#readable.size}`;
        if (this.#whole?.of !== of)
            this.#whole = { of, overview: this.#overview(0) };
        return this.#whole.overview;
    }
    /** Waits until the transcript has changed, at most {@link WAIT_MS}. */
    async changes(after, signal) {
        const until = performance.now() + WAIT_MS;
        await this.#refresh();
        while (after === this.#revision && performance.now() < until) {
            await sleep(POLL_MS, signal);
            await this.#refresh();
        }
        // A revision outside of this range is that of a file that was replaced.
        const line = after < this.#base || after > this.#revision ? 0 : after - this.#base;
        return this.#overview(line);
    }
    async episode(index) {
        return this.#readEpisode(await this.#find(index));
    }
    async tokens(range) {
        const summary = await this.#find(range.episode);
        const lines = this.#list.batchesOf(summary);
        if (lines.length === 0)
            throw new ApiError("tokens_unavailable", "The episode is in no batch, so it has no tokens.");
        const episode = await this.#readEpisode(summary);
        const names = [...new Set(lines.map(({ file }) => file))];
        return this.#batches.use(names, async (batches) => {
            if (batches.length === 0)
                throw new ApiError("tokens_unavailable", `${names.join(", ")} cannot be read.`);
            return readTokenSlice(episode, range, new RowTokens(episode, batches), await this.#texts.load());
        });
    }
    async search(text, signal) {
        await this.#first;
        return searchEpisodes(this.#path, this.#list.episodes, text, signal);
    }
    async [Symbol.asyncDispose]() {
        await this.#refreshing?.catch(() => undefined);
        await this.#transcript[Symbol.asyncDispose]();
        await this.#batches[Symbol.asyncDispose]();
    }
    get #revision() {
        return this.#base + this.#list.length;
    }
    #overview(line) {
        const { isIndexed, problems } = this.#transcript;
        const notices = [
            ...this.#notices,
            ...(isIndexed
                ? []
                : ["The index of the transcript is missing or older than the file, so the file was read instead."]),
            ...problems,
            ...this.#texts.notices,
        ];
        const isReadable = (file) => this.#readable.has(file);
        return this.#list.overview(line, { name: basename(this.#path), revision: this.#revision, notices, isReadable });
    }
    async #find(index) {
        await this.#first;
        const found = this.#list.episodes[index];
        if (!found)
            throw new ApiError("not_found", `There is no episode ${index}.`);
        return found;
    }
    async #readEpisode(place) {
        const transcript = this.#transcript;
        const { offset } = place;
        if (this.#last?.transcript === transcript && this.#last.offset === offset)
            return this.#last.episode;
        try {
            const episode = await transcript.readEpisode(place);
            this.#last = { offset, transcript, episode };
            return episode;
        }
        catch (error) {
            if (!(error instanceof TranscriptError))
                throw error;
            throw new ApiError("transcript_invalid", error.message, { cause: error });
        }
    }
    /** Reads new lines. Concurrent calls share one read. */
    #refresh() {
        this.#refreshing ??= this.#readChanges().finally(() => (this.#refreshing = undefined));
        return this.#refreshing;
    }
    async #readChanges() {
        const { replaced } = await this.#transcript.refresh();
        if (replaced) {
            // While a new job starts, its file may be missing or have no first line.
            const next = await Transcript.open(this.#path).catch(() => undefined);
            if (!next)
                return;
            await this.#transcript[Symbol.asyncDispose]();
            this.#base = this.#revision + 1;
            this.#transcript = next;
            this.#list = new TranscriptList();
            this.#readable.clear();
        }
        await this.#takeLines();
    }
    async #takeLines() {
        const list = this.#list;
        for (const line of this.#transcript.lines.slice(list.length))
            list.add(line);
        await this.#findFiles(list);
        const key = JSON.stringify([list.run?.model_path, list.run?.model_digest]);
        if (key === this.#textsOf)
            return;
        this.#textsOf = key;
        this.#texts = await chooseTexts(await this.#model, list.run);
    }
    /** Looks for the tensor files that have not been found yet. */
    async #findFiles(list) {
        const missing = new Set(list.batches.map(({ file }) => file).filter((file) => !this.#readable.has(file)));
        const found = await Promise.all([...missing].map(async (file) => ((await this.#batches.find(file)) ? [file] : [])));
        for (const file of found.flat())
            this.#readable.add(file);
    }
}
//# sourceMappingURL=transcript-source.js.map