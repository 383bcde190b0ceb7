import { writeError } from "./errors.js";
/** Maximum size of the values in one commit in bytes, except for a single larger group. Changes after a larger one would wait too long. */
const MAX_COMMIT_BYTES = 32 * 2 ** 20;
/**
 * Writes changes in the order in which they come. All changes that come while a commit is running share the next commit.
 *
 * Only one commit runs at a time. If it fails, its changes stay first in the queue and are tried again, so that no later change
 * is on disk without the earlier ones.
 */
export class GroupCommit {
    #options;
    /** Groups of changes that are not on disk. A group is never split between commits. */
    #queue = [];
    /** The group of this event turn, to which its further changes are added; undefined if there is none. */
    #open;
    /** Number of groups that were queued so far. */
    #written = 0;
    /** Number of these that are on disk. */
    #durable = 0;
    #waiting = [];
    #running;
    #failure;
    /** Ends the wait before the next commit; undefined if there is none. */
    #hurry;
    #closed = false;
    constructor(options) {
        this.#options = { retryMilliseconds: 1000, ...options };
    }
    /** The error of the last commit; undefined if it succeeded. */
    get failure() {
        return this.#failure;
    }
    /** Number of groups of changes that are not on disk. */
    get pending() {
        return this.#queue.length;
    }
    /** Queues changes. All changes of one event turn are one group, which is committed together: they belong to one step of the server. */
    write(changes) {
        if (changes.length === 0)
            return;
        if (this.#open) {
            pushAll(this.#open, changes);
            return;
        }
        this.#open = [...changes];
        queueMicrotask(() => (this.#open = undefined));
        this.#queue.push(this.#open);
        this.#written++;
        if (!this.#closed)
            this.#running ??= this.#run(this.#options.delayMilliseconds);
    }
    /** Resolves when everything that was queued so far is on disk. Rejects if a commit fails first. */
    flushed() {
        if (this.#durable === this.#written)
            return Promise.resolve();
        if (this.#failure)
            return Promise.reject(this.#failure);
        this.#hurry?.();
        return new Promise((resolve, reject) => this.#waiting.push({ until: this.#written, resolve, reject }));
    }
    /** Waits for the last commit. Changes that the disk still refuses are lost. */
    async close() {
        this.#closed = true;
        this.#hurry?.();
        await this.#running;
        await this.#commitAll();
    }
    async #run(wait) {
        // Without a delay, the changes of the current event turn still share one commit.
        await new Promise((resolve) => {
            if (wait === 0)
                return void setImmediate(resolve);
            const timer = setTimeout(resolve, wait);
            // It must not keep the process alive. `flushed` and `close` end the delay early.
            timer.unref();
            this.#hurry = () => {
                clearTimeout(timer);
                resolve();
            };
        });
        this.#hurry = undefined;
        await this.#commitAll();
        this.#running = undefined;
        if (this.#queue.length === 0 || this.#closed)
            return;
        const { retryMilliseconds, delayMilliseconds } = this.#options;
        this.#running = this.#run(this.#failure ? retryMilliseconds : delayMilliseconds);
    }
    /** Commits until the queue is empty or a commit fails. */
    async #commitAll() {
        while (this.#queue.length > 0) {
            const groups = this.#takeGroups();
            try {
                await this.#options.commit(groups.flat());
            }
            catch (error) {
                this.#fail(error);
                return;
            }
            this.#queue = this.#queue.slice(groups.length);
            this.#succeed(groups.length);
        }
    }
    /** Returns the groups for the next commit: the first one, and further ones up to {@link MAX_COMMIT_BYTES}. */
    #takeGroups() {
        // Changes that come later would be missing in this commit.
        this.#open = undefined;
        let bytes = 0;
        const end = this.#queue.findIndex((group) => {
            bytes += group.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
            return bytes > MAX_COMMIT_BYTES;
        });
        return this.#queue.slice(0, end === -1 ? undefined : Math.max(1, end));
    }
    #succeed(groups) {
        this.#durable += groups;
        if (this.#failure) {
            this.#failure = undefined;
            this.#options.onFailure?.(undefined);
        }
        const isDurable = ({ until }) => until <= this.#durable;
        const resolved = this.#waiting.filter(isDurable);
        if (resolved.length === 0)
            return;
        this.#waiting = this.#waiting.slice(resolved.length);
        for (const { resolve } of resolved)
            resolve();
    }
    #fail(cause) {
        const failure = writeError(cause);
        const isNew = this.#failure === undefined;
        this.#failure = failure;
        const rejected = this.#waiting;
        this.#waiting = [];
        for (const { reject } of rejected)
            reject(failure);
        if (isNew)
            this.#options.onFailure?.(failure);
    }
}
/** Adds all changes to a group. No spread: a freed session has thousands of them, more than a call's arguments may be. */
function pushAll(group, changes) {
    for (const change of changes)
        group.push(change);
}
//# sourceMappingURL=group-commit.js.map