import type { Change } from "./changes.js";
import { type StorageError, writeError } from "./errors.js";

/** Puts changes on disk, all or none. Rejects if the disk refuses them. */
export type Commit = (changes: readonly Change[]) => Promise<void>;

export interface GroupCommitOptions {
  readonly commit: Commit;
  /** Time between the first change of a commit and the commit. */
  readonly delayMilliseconds: number;
  /** Time after a failed commit until it is tried again. */
  readonly retryMilliseconds?: number;
  /** Called with the error when commits begin to fail, and with undefined when one succeeds again. */
  readonly onFailure?: (failure: StorageError | undefined) => void;
}

interface Waiting {
  /** Number of groups that must be on disk. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: StorageError) => void;
}

/** Maximum size of the values in one commit in bytes, except for a single larger group. Changes after a larger one would wait too long. */
const MAX_COMMIT_BYTES = 32 * 2 ** 20;

/**
 * Writes changes in the order in which they come. All changes that come while a commit is running share the next commit.
 *
 * Only one commit runs at a time. If it fails, its changes stay first in the queue and are tried again, so that no later change
 * is on disk without the earlier ones.
 */
export class GroupCommit {
  readonly #options: Required<Omit<GroupCommitOptions, "onFailure">> & Pick<GroupCommitOptions, "onFailure">;
  /** Groups of changes that are not on disk. A group is never split between commits. */
  #queue: (readonly Change[])[] = [];
  /** The group of this event turn. Its further changes are added to it. Undefined before the first change. */
  #open: Change[] | undefined;
  /** Number of groups that were queued so far. */
  #written = 0;
  /** Number of these that are on disk. */
  #durable = 0;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: StorageError | undefined;
  /** Ends the wait before the next commit; undefined if there is none. */
  #hurry: (() => void) | undefined;
  #closed = false;

  constructor(options: GroupCommitOptions) {
    this.#options = { retryMilliseconds: 1000, ...options };
  }

  /** The error of the last commit; undefined if it succeeded. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** Number of groups of changes that are not on disk. */
  get pending(): number {
    return this.#queue.length;
  }

  /** Number of groups that were on disk when the last commit ended. Groups are numbered from 1 in the order of their changes. */
  get durable(): number {
    return this.#durable;
  }

  /**
   * Queues changes. All changes of one event turn are one group, which is committed as a whole, because they belong together.
   *
   * @returns the number of the group
   */
  write(changes: readonly Change[]): number {
    if (changes.length === 0) return this.#written;
    if (this.#open) {
      pushAll(this.#open, changes);
      return this.#written;
    }
    this.#open = [...changes];
    const group = this.#open;
    queueMicrotask(() => {
      // A commit may have taken the group meanwhile, and another one may be open.
      if (this.#open === group) this.#open = undefined;
    });
    this.#queue.push(group);
    this.#written++;
    if (!this.#closed) this.#running ??= this.#run(this.#options.delayMilliseconds);
    return this.#written;
  }

  /**
   * Resolves when a group and all earlier ones are on disk. Rejects if a commit fails first.
   *
   * @param group default: the last one
   */
  flushed(group = this.#written): Promise<void> {
    if (this.#durable >= group) return Promise.resolve();
    if (this.#failure) return Promise.reject(this.#failure);
    this.#hurry?.();
    return new Promise((resolve, reject) => this.#waiting.push({ until: group, resolve, reject }));
  }

  /** Waits for the last commit. Changes that the disk still refuses are lost. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#hurry?.();
    await this.#running;
    await this.#commitAll();
  }

  async #run(wait: number): Promise<void> {
    // Without a delay, the changes of the current event turn still share one commit.
    await new Promise<void>((resolve) => {
      if (wait === 0) return void setImmediate(resolve);
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
    if (this.#queue.length === 0 || this.#closed) return;
    const { retryMilliseconds, delayMilliseconds } = this.#options;
    this.#running = this.#run(this.#failure ? retryMilliseconds : delayMilliseconds);
  }

  /** Commits until the queue is empty or a commit fails. */
  async #commitAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const groups = this.#takeGroups();
      try {
        await this.#options.commit(groups.flat());
      } catch (error) {
        this.#fail(error);
        return;
      }
      this.#queue = this.#queue.slice(groups.length);
      this.#succeed(groups.length);
    }
  }

  /** Returns the groups for the next commit: the first one, and further ones up to {@link MAX_COMMIT_BYTES}. */
  #takeGroups(): (readonly Change[])[] {
    // Later changes of this event turn need a new group, because this commit does not include them.
    this.#open = undefined;
    let bytes = 0;
    const end = this.#queue.findIndex((group) => {
      bytes += group.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      return bytes > MAX_COMMIT_BYTES;
    });
    return this.#queue.slice(0, end === -1 ? undefined : Math.max(1, end));
  }

  #succeed(groups: number): void {
    this.#durable += groups;
    if (this.#failure) {
      this.#failure = undefined;
      this.#options.onFailure?.(undefined);
    }
    const isDurable = ({ until }: Waiting) => until <= this.#durable;
    const resolved = this.#waiting.filter(isDurable);
    if (resolved.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !isDurable(waiting));
    for (const { resolve } of resolved) resolve();
  }

  #fail(cause: unknown): void {
    const failure = writeError(cause);
    const isNew = this.#failure === undefined;
    this.#failure = failure;
    const rejected = this.#waiting;
    this.#waiting = [];
    for (const { reject } of rejected) reject(failure);
    if (isNew) this.#options.onFailure?.(failure);
  }
}

/** Adds all changes to a group. No spread: a freed session has thousands of them, more than a call's arguments may be. */
function pushAll(group: Change[], changes: readonly Change[]): void {
  for (const change of changes) group.push(change);
}
