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
import { packBatch } from "../../session/batch/batch.js";
import { batchOptionsSchema } from "../../session/batch/batch-options.js";
import { refuseConflicts } from "../../session/batch/option-conflicts.js";
import { SessionError } from "../../session/errors.js";
import { readHeads, readOffline, reasonOf } from "../../session/stored/offline-sessions.js";
import { OfflineStorage } from "../../storage/index.js";
import { writeBatchFile } from "../rollout/batch-file.js";
import { StorageCommandError } from "./errors.js";
import { toFlag } from "./export-options.js";
import { SessionProgress } from "./progress.js";
import { readServerFacts } from "./read-facts.js";
import { readState } from "./session-state.js";
/**
 * Writes the sessions of a folder to a file, as a server with that folder would export them. Changes nothing in the folder. Sessions
 * that cannot be read are left out.
 *
 * @throws StorageCommandError if there is nothing to export, or the options do not fit the sessions
 */
export async function exportStorage(options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { storage: directory, out, sessions: ids, state: states, ...rest } = options;
        const batchOptions = batchOptionsSchema.parse(rest);
        const storage = __addDisposableResource(env_1, OfflineStorage.open(directory), false);
        const problems = [];
        try {
            refuseConflicts(batchOptions);
            const { origin } = readServerFacts(storage, directory);
            const heads = readHeads(storage, (problem) => problems.push(problem));
            const chosen = ids ? chooseById(heads, ids, problems.length > 0) : chooseAll(heads, states);
            const progress = new SessionProgress("read");
            const sessions = chosen.flatMap((session) => {
                progress.step(chosen.length);
                return load(storage, session, problems) ?? [];
            });
            progress.clear();
            if (sessions.length === 0)
                throw nothingLeft(directory, problems);
            const batch = await packBatch(sessions, batchOptions, { origin });
            try {
                await writeBatchFile(out, batch.bytes);
                return { sessions: sessions.length, rows: batch.rows.length, bytes: batch.byteLength, problems };
            }
            finally {
                batch.release();
            }
        }
        catch (error) {
            if (!(error instanceof SessionError))
                throw error;
            throw new StorageCommandError("invalid_arguments", error.spelled(toFlag), { cause: error });
        }
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
/** Reads a session. If it is damaged, adds the problem and returns undefined. */
function load(storage, session, problems) {
    try {
        return readOffline(storage, session);
    }
    catch (error) {
        problems.push({ what: `session ${session.head.summary.id}`, reason: reasonOf(error) });
        return undefined;
    }
}
function chooseAll(heads, states) {
    return heads.filter(({ head }) => {
        const { freed, interactionCount } = head.summary;
        return !freed && interactionCount > 0 && (states?.includes(readState(head)) ?? true);
    });
}
function chooseById(heads, ids, isDamaged) {
    const byId = new Map(heads.map((session) => [session.head.summary.id, session]));
    return ids.map((id) => {
        const session = byId.get(id);
        const hint = isDamaged ? ". The folder is damaged; see `rolltape storage verify`" : "";
        const refuse = (reason) => new StorageCommandError("invalid_arguments", `--sessions: ${reason}`);
        if (!session)
            throw refuse(`the folder has no session ${id}${hint}`);
        if (session.head.summary.freed)
            throw refuse(`the data of session ${id} was freed; it is ${readState(session.head)}`);
        return session;
    });
}
const STATES_HINT = "`rolltape storage inspect` shows how many sessions the folder has, by state.";
function nothingLeft(directory, problems) {
    const [first] = problems;
    const damage = first ? ` that can be read. First problem: ${first.what}: ${first.reason}` : "";
    return new StorageCommandError("nothing_to_export", `No session to export: none of the chosen sessions in ${directory} has data${damage}. ${STATES_HINT}`);
}
//# sourceMappingURL=export-storage.js.map