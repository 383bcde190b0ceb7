var __addDisposableResource = (this && this.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (this && this.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { sleep } from "../support/async/sleep.js";
import { indexFileOf, Transcript } from "./read-index.js";
import { MAX_LINE_BYTES } from "./read-line.js";
import { joinSummary, toIndexLine } from "./summarize.js";
/** Messages of agents may be confidential. */
const MODE = 0o600;
/** Least time between two writes. Each takes two calls of the file system, and so as much processor time as a short line. */
const GATHER_MS = 50;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;
/**
 * Writes a transcript and its index. The lines of a call are written together while those of the next calls gather, each file through
 * one open descriptor. A write error ends the transcript: later lines are dropped.
 */
export class TranscriptWriter {
    path;
    #file;
    #index;
    #earlier;
    /** Length of the file when everything is written. */
    #end;
    #lines = [];
    #entries = [];
    #writing;
    #failure;
    #lastWrite = Number.NEGATIVE_INFINITY;
    #closing = new AbortController();
    constructor(path, file, index, { lines, end }) {
        this.path = path;
        this.#file = file;
        this.#index = index;
        this.#earlier = lines;
        this.#end = end;
    }
    /**
     * Creates the files, in place of those of an earlier job. With `resume`, goes on in them: a torn last line is cut, and the index is
     * written anew.
     *
     * @throws an error of the file system
     */
    static async open(path, run, { resume }) {
        const known = resume ? await readKnown(path) : undefined;
        if (!known) {
            // A reader that has the earlier files open keeps them. A link in their place is removed, not followed.
            await Promise.all([rm(path, { force: true }), rm(indexFileOf(path), { force: true })]);
        }
        const file = await open(path, known ? APPEND : "ax+", MODE);
        try {
            const { lines, end } = known ?? NOTHING;
            if (known)
                await file.truncate(end);
            const index = await createIndex(indexFileOf(path), lines);
            const writer = new TranscriptWriter(path, file, index, { lines, end });
            if (end === 0)
                await writer.write(run);
            return writer;
        }
        catch (error) {
            await file.close();
            throw error;
        }
    }
    /** The lines that the file had when it was opened. */
    get earlier() {
        return this.#earlier;
    }
    /** Why the transcript has ended early; undefined if it has not. */
    get failure() {
        return this.#failure;
    }
    /** Adds a line. Resolves when it is written, or dropped because of an error. */
    write(line) {
        if (this.#failure)
            return Promise.resolve();
        let bytes = encode(line);
        if (bytes.length > MAX_LINE_BYTES && line.type === "episode") {
            bytes = encode({ ...line, interactions: [], incomplete: tooLong(bytes.length) });
        }
        return this.#add([bytes], (place) => toIndexLine(line, place));
    }
    /** Adds an episode whose interactions are JSON already. Like {@link write} otherwise. */
    writeEpisode({ head, interactions, summary }) {
        if (this.#failure)
            return Promise.resolve();
        const start = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"interactions":`);
        const length = start.length + interactions.length + LINE_END.length;
        const line = length > MAX_LINE_BYTES
            ? [encode({ ...head, interactions: [], incomplete: tooLong(length) })]
            : [start, interactions, LINE_END];
        return this.#add(line, (place) => ({ ...place, ...joinSummary(head, summary) }));
    }
    #add(line, describe) {
        const length = line.reduce((sum, bytes) => sum + bytes.length, 0);
        const place = { offset: this.#end, length: length - 1 };
        this.#end += length;
        this.#lines.push(...line);
        this.#entries.push(`${JSON.stringify(describe(place))}\n`);
        // Lines that arrive during a write are written together after it.
        this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
        return this.#writing;
    }
    /** Waits for what was added, and closes the files. */
    async close() {
        this.#closing.abort();
        await this.#writing;
        await Promise.allSettled([this.#file.close(), this.#index.close()]);
    }
    async #writeAll() {
        while (this.#lines.length > 0 && !this.#failure) {
            await this.#gather();
            const [lines, entries] = [Buffer.concat(this.#lines), this.#entries.join("")];
            this.#lines = [];
            this.#entries = [];
            try {
                // A line is in the index only once it is in the file.
                await this.#file.appendFile(lines);
                await this.#index.appendFile(entries);
            }
            catch (error) {
                this.#failure = error instanceof Error ? error : new Error(String(error));
            }
            this.#lastWrite = performance.now();
        }
    }
    /** Waits for lines that are written together: those of one iteration of the event loop, and more soon after another write. */
    async #gather() {
        const pause = this.#lastWrite + GATHER_MS - performance.now();
        if (pause > 0)
            await sleep(pause, this.#closing.signal).catch(() => undefined);
        else
            await Promise.resolve();
    }
}
const LINE_END = Buffer.from("}\n");
const tooLong = (bytes) => `its calls take ${bytes} bytes; a line has at most ${MAX_LINE_BYTES}`;
const encode = (line) => Buffer.from(`${JSON.stringify(line)}\n`);
const NOTHING = { lines: [], end: 0 };
/** Reads the transcript of an earlier process; undefined if there is none. */
async function readKnown(path) {
    try {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const transcript = __addDisposableResource(env_1, await Transcript.open(path), true);
            return { lines: transcript.lines, end: transcript.end };
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = __disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    catch {
        return undefined;
    }
}
/** Writes an index beside the old one and renames it, so that a reader never sees half of it. Returns it open. */
async function createIndex(path, lines) {
    const partial = `${path}.new`;
    await rm(partial, { force: true });
    const index = await open(partial, "ax", MODE);
    try {
        await index.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        await rename(partial, path);
        return index;
    }
    catch (error) {
        await index.close();
        throw error;
    }
}
//# sourceMappingURL=writer.js.map