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
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { TranscriptError } from "../../transcript/errors.js";
import { Transcript } from "../../transcript/read-index.js";
import { ViewError } from "../errors.js";
import { BatchSource } from "./batch-source.js";
import { TranscriptSource } from "./transcript-source.js";
/**
 * Opens a transcript, a tensor file or a folder. Of a folder, it opens the newest transcript, or the newest tensor file if
 * there is no transcript.
 *
 * @throws ViewError, TranscriptError, SafetensorsError, ModelFolderError
 */
export async function openPath(path, options = {}) {
    const facts = await stat(path).catch((cause) => {
        throw new ViewError("nothing_to_view", `${path} cannot be read: ${String(cause)}`, { cause });
    });
    if (facts.isDirectory())
        return openFolder(path, options);
    // Reading a pipe or a device may never end.
    if (!facts.isFile())
        throw new ViewError("nothing_to_view", `${path} is neither a file nor a folder.`);
    if (await isTensorFile(path))
        return BatchSource.open(path, options);
    return TranscriptSource.open(path, options);
}
async function openFolder(folder, options) {
    const names = await readdir(folder);
    const lines = await sortNewest(folder, names, ".jsonl");
    const areTranscripts = await Promise.all(lines.map((name) => mayBeTranscript(join(folder, name))));
    const transcripts = lines.filter((_, i) => areTranscripts[i]);
    const files = transcripts.length > 0 ? transcripts : await sortNewest(folder, names, ".safetensors");
    // If there is only a file of another kind, opening it throws the reason.
    const [name, ...others] = files.length > 0 ? files : lines;
    if (name === undefined) {
        throw new ViewError("nothing_to_view", `${folder} has no transcript (.jsonl) and no tensor file (.safetensors).`);
    }
    const notice = `This is the newest file of the folder. Others: ${listNames(others)}.`;
    const notices = [...(options.notices ?? []), ...(others.length > 0 ? [notice] : [])];
    return openPath(join(folder, name), { ...options, notices });
}
/** Returns false for files of another kind, such as tasks. A file that cannot be read may be a transcript. */
async function mayBeTranscript(path) {
    try {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const _ = __addDisposableResource(env_1, await Transcript.openUnread(path), true);
            return true;
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
    catch (error) {
        return !(error instanceof TranscriptError && error.code === "not_a_transcript");
    }
}
/** Returns the regular files with this ending, newest first. */
async function sortNewest(folder, names, ending) {
    const files = names.filter((name) => name.endsWith(ending));
    const facts = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => undefined)));
    return files
        .map((name, i) => ({ name, facts: facts[i] }))
        .filter((file) => file.facts?.isFile())
        .toSorted((a, b) => (b.facts?.mtimeMs ?? 0) - (a.facts?.mtimeMs ?? 0) || (a.name < b.name ? -1 : 1))
        .map(({ name }) => name);
}
const MAX_LISTED = 10;
function listNames(names) {
    const listed = names.slice(0, MAX_LISTED).join(", ");
    return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed;
}
/** A tensor file begins with the length of its header in eight bytes, the last of which are 0, and `{`. */
async function isTensorFile(path) {
    const file = await open(path);
    try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(9), 0, 9, 0);
        return bytesRead === 9 && buffer[7] === 0 && buffer[8] === 0x7b;
    }
    finally {
        await file.close();
    }
}
//# sourceMappingURL=find-source.js.map