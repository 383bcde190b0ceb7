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
import { dirname, relative } from "node:path";
import { AdminClient } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { HttpTransport } from "../../client/transport.js";
import { modelDigest } from "../../model/model-digest.js";
import { SubprocError } from "../../rollout/subproc/errors.js";
import { findModelFolder } from "../../server/open-engine.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { splitSessionAnswer } from "../../transcript/session-answer.js";
import { TranscriptWriter } from "../../transcript/writer.js";
/** Name of the transcript of a job with this `--out`. */
export const transcriptFileOf = (out) => `${out}.jsonl`;
/** Number of episodes that are read from the proxy at once. Each is in memory until it is written. */
const CONCURRENCY = 4;
/** Episodes that wait beyond this number are written without their messages. */
const MAX_WAITING = 1000;
const READ_SECONDS = 30;
/** How long a batch waits for the transcripts of its episodes, whose sessions are freed then. */
const BATCH_WAIT_MS = 5000;
/** How long the end of the job waits. */
const CLOSE_WAIT_MS = 10_000;
/**
 * Writes the transcript of a job. It reads each episode from the proxy when it has ended, and then deletes the session of a rejected
 * one. The job waits for it only before a batch's sessions are freed and at its end, and not for long.
 */
export class JobTranscript {
    #job;
    #writer;
    #slots = new Semaphore(CONCURRENCY);
    #stopping = new AbortController();
    /** Episodes that are not written yet, by session. */
    #pending = new Map();
    /** Sessions that an earlier process has written. */
    #written;
    #warned = false;
    constructor(job, writer) {
        this.#job = job;
        this.#writer = writer;
        const earlier = writer?.earlier ?? [];
        this.#written = new Set(earlier.flatMap((line) => (line.type === "episode" ? (line.session_id ?? []) : [])));
    }
    /** Creates the transcript, or opens that of the process before; undefined with `--no-transcripts`. */
    static async open(job) {
        const { options, journal, screen } = job;
        if (options.transcripts === false)
            return undefined;
        const path = transcriptFileOf(options.out);
        try {
            const run = await describeRun(job);
            return new JobTranscript(job, await TranscriptWriter.open(path, run, { resume: journal?.isResumed ?? false }));
        }
        catch (error) {
            screen.line(`rolltape: warning: no transcript is written to ${path}: ${error.message}`);
            return new JobTranscript(job, undefined);
        }
    }
    /** The file; undefined if it could not be created. */
    get path() {
        return this.#writer?.path;
    }
    /** Adds the episodes of a task that has ended. */
    add(result) {
        for (const episode of result.accepted)
            this.#start(this.#describeAccepted(result, episode));
        for (const episode of result.rejected)
            this.#start(this.#describeRejected(result, episode));
    }
    addBatch({ number, file, version, sessionIds }) {
        const name = relative(dirname(transcriptFileOf(this.#job.options.out)), file);
        const at = Date.now() / 1000;
        this.#write({ type: "batch", number, file: name, version, at, session_ids: sessionIds });
    }
    addStep(step) {
        this.#write({ type: "step", ...step, at: Date.now() / 1000 });
    }
    /** Waits until these sessions are not needed any more, but not for long. */
    async settled(sessionIds, milliseconds = BATCH_WAIT_MS) {
        const pending = sessionIds.flatMap((id) => this.#pending.get(id) ?? []);
        if (pending.length === 0)
            return;
        let timer;
        const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
        await Promise.race([Promise.all(pending), late]);
        clearTimeout(timer);
    }
    /** Writes the episodes that have ended, and closes the file. */
    async close() {
        await this.settled([...this.#pending.keys()], CLOSE_WAIT_MS);
        this.#stopping.abort(new Error("the job has ended"));
        await Promise.all(this.#pending.values());
        await this.#writer?.close();
        this.#warn();
    }
    #start(episode) {
        const { session_id: id } = episode.head;
        if (id === undefined)
            return this.#write({ ...episode.head, interactions: [] });
        // Sessions of rejected episodes that an earlier process left are deleted when the job is restored.
        if (this.#written.has(id))
            return;
        const ended = this.#record(id, episode, this.#pending.size >= MAX_WAITING).finally(() => this.#pending.delete(id));
        this.#pending.set(id, ended);
    }
    async #record(id, { head, admin }, isCrowded) {
        if (this.#writer && !this.#writer.failure) {
            const read = isCrowded ? TOO_MANY : await this.#read(id, head, admin);
            if (typeof read === "string")
                await this.#writer.write({ ...head, interactions: [], incomplete: read });
            else
                await this.#writer.writeEpisode(read);
            this.#warn();
        }
        if (!head.accepted)
            await this.#delete(id);
    }
    /** Returns the line of an episode with what the proxy recorded of its session, or why it is not known. */
    async #read(id, head, admin) {
        const { signal } = this.#stopping;
        const { turn_discount: discount } = this.#job.config.rollout.agent;
        try {
            const env_1 = { stack: [], error: void 0, hasError: false };
            try {
                const _slot = __addDisposableResource(env_1, await this.#slots.acquire(signal), false);
                return joinAnswer(head, await admin.transcriptBytes(id, { discount }, { signal, timeoutSeconds: READ_SECONDS }));
            }
            catch (e_1) {
                env_1.error = e_1;
                env_1.hasError = true;
            }
            finally {
                __disposeResources(env_1);
            }
        }
        catch (error) {
            const why = error instanceof ProxyError ? `${error.code}: ${error.message}` : String(error);
            return `the proxy did not return the session: ${why}`;
        }
    }
    async #delete(id) {
        const { leases, proxy, journal } = this.#job;
        if (leases)
            return leases.discard([id]);
        // If the proxy does not answer, the session is freed when it expires.
        const isDeleted = await proxy.admin.deleteSession(id, { timeoutSeconds: READ_SECONDS }).then(() => true, () => false);
        if (isDeleted)
            journal?.removeUnwanted(id);
    }
    #write(line) {
        void this.#writer?.write(line).then(() => this.#warn());
    }
    /** Tells once that the transcript ended early. */
    #warn() {
        const failure = this.#writer?.failure;
        if (this.#warned || !failure)
            return;
        this.#warned = true;
        this.#job.screen.line(`rolltape: warning: ${this.#writer?.path} is not complete: ${failure.message}`);
    }
    #describeAccepted({ index, taskId, version }, { sessionId, url, groupId }) {
        const { proxy } = this.#job;
        const { connections, adminKey } = proxy;
        const admin = url === proxy.url ? proxy.admin : new AdminClient(new HttpTransport(url, connections), adminKey);
        const head = { type: "episode", session_id: sessionId, task: index, task_id: taskId, version };
        return { head: { ...head, ...(groupId !== undefined && { group_id: groupId }), accepted: true }, admin };
    }
    #describeRejected({ index, taskId, version }, rejected) {
        const { sessionId, groupId, reason } = rejected;
        const { cause } = reason;
        // If the agent's process failed, the stack is that of the job.
        const stack = cause instanceof Error && !(cause instanceof SubprocError) ? cause.stack : undefined;
        const head = {
            type: "episode",
            ...(sessionId !== undefined && { session_id: sessionId }),
            task: index,
            task_id: taskId,
            ...(groupId !== undefined && { group_id: groupId }),
            accepted: false,
            error: { code: reason.code, message: cut(reason.message), ...(stack !== undefined && { stack: cut(stack) }) },
            version,
        };
        return { head, admin: this.#job.proxy.admin };
    }
}
const TOO_MANY = "episodes ended faster than they could be read";
const MAX_TEXT = 1 << 16;
const cut = (text) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
function joinAnswer(head, answer) {
    const { head: session, interactions } = splitSessionAnswer(answer);
    const { started_at, duration, session_reward, summary } = session;
    const recorded = {
        ...(started_at !== undefined && { started_at }),
        ...(duration !== undefined && { duration }),
        ...(session_reward !== undefined && { session_reward }),
    };
    return { head: { ...head, ...recorded }, interactions, summary };
}
/** Returns the first line. The model is known only if the job has started the proxy itself. */
async function describeRun({ config, options, tasks, groupSize }) {
    const path = options.proxy === undefined ? await findModelFolder(config) : undefined;
    return {
        type: "run",
        format: 1,
        started_at: Date.now() / 1000,
        ...(path !== undefined && { model_path: path, model_digest: await modelDigest(path) }),
        tasks: tasks.length,
        group_size: groupSize,
        discount: config.rollout.agent.turn_discount,
    };
}
//# sourceMappingURL=job-transcript.js.map