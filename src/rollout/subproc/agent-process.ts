import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { Deadline } from "../../support/async/deadline.js";
import { createDeferred, type Deferred } from "../../support/async/deferred.js";
import { onAbort } from "../../support/async/on-abort.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { type ChildEnd, describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { OutputTail } from "../../support/processes/output-tail.js";
import { createTimeout, SubprocError } from "./errors.js";
import { addStandardError, noteStandardError, processError } from "./standard-error.js";

const TAIL_BYTES = 8192;
/** How long a cancelled task may clean up before its process gets no more tasks. */
const CANCEL_SECONDS = 10;

/** Facts about a loaded agent. */
export interface LoadedAgent {
  /** True if the agent can run many tasks at once. */
  readonly isAsync: boolean;
  /** True if the agent can go on with an episode that was cut. */
  readonly canResume: boolean;
}

/** A message of an agent's process. `reusable`: false if the process cannot run another task. */
export type ProcessMessage =
  | { readonly type: "ready"; readonly agent: LoadedAgent }
  | { readonly type: "load_failed"; readonly error: Error }
  /** `cancelling`: the task was cancelled and may still clean up. */
  | { readonly type: "started" | "cancelling"; readonly id: number }
  | { readonly type: "done"; readonly id: number; readonly value: unknown; readonly reusable: boolean }
  | { readonly type: "failed"; readonly id: number; readonly error: Error; readonly reusable: boolean };

type TaskEnd = Extract<ProcessMessage, { readonly type: "done" | "failed" }>;

/** How processes of one kind are started, and how messages reach them. */
export interface AgentTransport {
  /** The first message to a process, which it answers with `ready` or `load_failed`. Undefined: each task names its agent. */
  readonly load?: object | undefined;
  /** Starts a process with `detached`, as the leader of its group. */
  spawn(): ChildProcess;
  /** Calls `listener` with each message of the process, and with undefined for anything that is not a message. */
  listen(child: ChildProcess, listener: (message: ProcessMessage | undefined) => void): void;
  /** @throws TaskNotTaken, SubprocError */
  send(child: ChildProcess, message: object): void;
  /** Returns the outputs of the agent other than standard error. */
  printed(child: ChildProcess): readonly Readable[];
  /** Handles that keep this process alive while it waits for an answer. */
  handles(child: ChildProcess): readonly unknown[];
  /** Returns the error of a program that cannot be executed. */
  notStarted?(reason: Error): SubprocError;
}

export interface AgentProcessOptions {
  readonly transport: AgentTransport;
  /** Maximum seconds of one task. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** Default: 10. */
  readonly cancelSeconds?: number | undefined;
  /** Called when a task or the process has ended, so that another task may start. */
  readonly onChange: () => void;
}

/** The process ended before it accepted the task. Another process can run the task. */
export class TaskNotTaken extends Error {}

/** `known`: it is known which of several tasks ended their process. */
type Culprit = "known" | "unknown";

const sharedEnds = new WeakMap<object, Culprit>();

/** Returns undefined unless the error is that of a task whose process ended while it ran several tasks. */
export function findCulprit(error: unknown): Culprit | undefined {
  return typeof error === "object" && error !== null ? sharedEnds.get(error) : undefined;
}

interface Running extends Pick<Deferred<unknown>, "resolve" | "reject"> {
  started: boolean;
  /** The process has cancelled the task, so its event loop is not blocked. */
  cancelling: boolean;
  cancelTimer?: NodeJS.Timeout;
  /** The error that the agent threw. */
  failure?: Error;
}

/** One process that runs agents, as its parent sees it: one task at a time, or many if its agent is asynchronous. */
export class AgentProcess {
  /** Resolves when the agent is loaded. Rejects with a WorkflowError or a SubprocError. */
  readonly loaded: Promise<LoadedAgent>;
  readonly #options: AgentProcessOptions;
  readonly #group: ChildGroup;
  readonly #tail: OutputTail;
  readonly #flushes: readonly (() => void)[];
  /** Tasks of the process by id, including those that were given up but have not ended. */
  readonly #tasks = new Map<number, Running>();
  readonly #loading: Deferred<LoadedAgent> = createDeferred();
  #agent: LoadedAgent | undefined;
  #state: "usable" | "retired" | "gone" = "usable";
  #whyKilled: string | undefined;
  #culprit: Culprit = "unknown";
  #reserved = 0;
  #nextId = 0;
  #holders = 0;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
    this.loaded = this.#loading.promise;
    // Without a handler, the rejection would end this process if nobody waits for the agent.
    this.loaded.catch(() => {});
    const { transport } = options;
    const child = transport.spawn();
    this.#group = new ChildGroup(child);
    // If this process has too many open files, Node creates no streams and reports the error later.
    if (!child.stderr) throw new SubprocError("worker_start_failed", `${child.spawnfile}: too many open files`);
    const outputs = [child.stderr, ...transport.printed(child)];
    // Output of agents is forwarded to this process's standard error. Its standard output belongs to the command.
    this.#flushes = outputs.map((output) => forwardLines(output));
    this.#tail = new OutputTail(child.stderr, TAIL_BYTES);
    transport.listen(child, (message) => this.#handle(message));
    void this.#group.exited.then(() => (this.#state = "gone"));
    void this.#group.ended.then((end) => this.#end(end));
    for (const each of [...outputs, ...transport.handles(child)]) setRef(each, false);
    if (transport.load) this.#send(transport.load);
    else this.#becomeReady({ isAsync: false, canResume: false });
  }

  /** True if it accepts tasks. */
  get usable(): boolean {
    return this.#state === "usable";
  }

  /** True until the process has ended. */
  get exists(): boolean {
    return this.#state !== "gone";
  }

  /** True once the agent was loaded. */
  get isLoaded(): boolean {
    return this.#agent !== undefined;
  }

  /** Number of tasks that it runs or is about to run. */
  get load(): number {
    return this.#reserved + this.#tasks.size;
  }

  /** The end of the process's standard error. */
  get standardError(): string {
    return this.#tail.text;
  }

  /** Counts a task that is about to run. Call {@link release} or {@link run}. */
  reserve(): void {
    this.#reserved++;
  }

  /** Gives up a task that was reserved. */
  release(): void {
    this.#reserved--;
    this.#changed();
  }

  /**
   * Runs a reserved task when the agent is loaded, and returns what the agent returned. The task's time begins then.
   *
   * If the signal aborts, an asynchronous agent's task is cancelled; the process of a synchronous agent is killed.
   *
   * @throws TaskNotTaken, the error that the agent threw, or the reason of the signal
   */
  async run(task: object, signal: AbortSignal): Promise<unknown> {
    using _held = this.hold();
    const id = this.#nextId++;
    const { promise, resolve, reject } = createDeferred<unknown>();
    try {
      await this.#untilReady(signal);
      this.#send({ ...task, id });
    } catch (error) {
      if (error instanceof TaskNotTaken) this.kill();
      this.release();
      throw error;
    }
    this.#reserved--;
    this.#tasks.set(id, { started: false, cancelling: false, resolve, reject });
    const { timeoutSeconds } = this.#options;
    using deadline = new Deadline(signal, timeoutSeconds, () => createTimeout(timeoutSeconds, this.#agent?.isAsync));
    // Begins after the task was sent, because a process ignores the cancellation of a task that it does not know.
    using _givingUp = onAbort(deadline.signal, () => this.#giveUp(id, deadline.signal.reason));
    return await promise;
  }

  async #untilReady(signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(this.loaded, signal);
    } catch (error) {
      if (!signal.aborted) throw new TaskNotTaken((error as Error).message);
    }
    // The standard error of tasks that run at once is mixed.
    if (this.#agent?.isAsync === false) {
      await this.#readStandardError();
      this.#tail.clear();
    }
    // `untilAborted` does not throw if the agent is loaded, even if the signal has aborted.
    signal.throwIfAborted();
    if (!this.usable) throw new TaskNotTaken("it was stopped");
  }

  /**
   * Reads the rest of the standard error. The process wrote it before its last message, but this process may read that pipe later.
   */
  async #readStandardError(): Promise<void> {
    let received: number;
    do {
      ({ received } = this.#tail);
      await setImmediate();
      await setImmediate();
    } while (this.#tail.received !== received);
  }

  /** Kills the process and its descendants. */
  kill(why?: string): void {
    this.#state = "gone";
    this.#whyKilled ??= why;
    this.#group.kill();
  }

  /** Kills the process and writes its incomplete last line now, because this process may end before the output does. */
  close(): void {
    this.kill();
    for (const flush of this.#flushes) flush();
  }

  /** Keeps this process alive while it waits for the other one. Nothing else may do so. */
  hold(): Disposable {
    if (this.#holders++ === 0) this.#setRefs(true);
    return {
      [Symbol.dispose]: () => {
        if (--this.#holders === 0) this.#setRefs(false);
      },
    };
  }

  #send(message: object): void {
    this.#options.transport.send(this.#group.child, message);
  }

  #becomeReady(agent: LoadedAgent): void {
    this.#agent = agent;
    this.#loading.resolve(agent);
  }

  #handle(message: ProcessMessage | undefined): void {
    switch (message?.type) {
      case undefined:
        return this.kill("it wrote something other than a message to the worker's connection");
      case "ready":
        return this.#becomeReady(message.agent);
      case "load_failed":
        this.#loading.reject(message.error);
        return this.kill();
      case "started":
      case "cancelling": {
        const running = this.#tasks.get(message.id);
        if (running) running[message.type] = true;
        return;
      }
      case "done":
      case "failed":
        return void this.#finish(message);
    }
  }

  async #finish(end: TaskEnd): Promise<void> {
    const running = this.#tasks.get(end.id);
    if (!running) return;
    if (end.type === "done") running.resolve(end.value);
    else if (this.#agent?.isAsync === true) running.reject(end.error);
    else await this.#fail(running, end.error);
    clearTimeout(running.cancelTimer);
    this.#tasks.delete(end.id);
    if (!end.reusable) this.#retire();
    this.#changed();
  }

  /** Rejects the task of a synchronous agent, with the standard error that the task wrote. */
  async #fail(running: Running, error: Error): Promise<void> {
    running.failure = error;
    await this.#readStandardError();
    noteStandardError(error, this.#tail.text);
    running.reject(error);
  }

  #giveUp(id: number, reason: unknown): void {
    const running = this.#tasks.get(id);
    if (!running) return;
    if (this.#agent?.isAsync !== true) {
      running.reject(addStandardError(reason, this.#tail.text));
      return this.kill();
    }
    running.reject(reason);
    this.#send({ type: "cancel", id });
    const { cancelSeconds = CANCEL_SECONDS } = this.#options;
    running.cancelTimer = setTimeout(() => this.#refuseToEnd(running), cancelSeconds * 1000);
    running.cancelTimer.unref();
  }

  /** Retires a process with a cancelled task that does not end. If the task blocks the event loop, kills the process instead. */
  #refuseToEnd(running: Running): void {
    if (running.cancelling) return this.#retire();
    this.#culprit = "known";
    this.kill("it was killed, because an agent exceeded its time limit and blocked the event loop of its process");
  }

  /** Gives the process no more tasks, and kills it when the others have ended. */
  #retire(): void {
    if (this.usable) this.#state = "retired";
    this.#changed();
  }

  #changed(): void {
    const waitsFor = [...this.#tasks.values()].filter(({ cancelTimer }) => cancelTimer === undefined);
    if (this.#state === "retired" && waitsFor.length === 0) this.kill();
    this.#options.onChange();
  }

  #end(end: ChildEnd): void {
    this.kill();
    this.#loading.reject(this.#startError(end));
    const how = this.#whyKilled ?? describeEnd(end);
    const count = this.#tasks.size;
    const only = this.#agent?.isAsync === true ? "it ran no other agent" : "the agent was running";
    const sentence = `The agent's process ended while ${count > 1 ? `${count} agents were running in it` : only} (${how}).`;
    for (const running of this.#tasks.values()) {
      clearTimeout(running.cancelTimer);
      if (running.failure) running.reject(running.failure);
      else if (running.started) {
        const error = processError("worker_exited", sentence, this.#tail.text);
        if (count > 1) sharedEnds.set(error, this.#culprit);
        running.reject(error);
      } else running.reject(new TaskNotTaken(how));
    }
    this.#tasks.clear();
    this.#options.onChange();
  }

  #startError(end: ChildEnd): SubprocError {
    const { transport } = this.#options;
    if (end.how === "not_started" && transport.notStarted) return transport.notStarted(end.error);
    const how = this.#whyKilled ?? describeEnd(end);
    const sentence = `A worker process ended before it had loaded the agent: ${how}.`;
    return processError("worker_start_failed", sentence, this.#tail.text);
  }

  #setRefs(held: boolean): void {
    for (const each of this.#options.transport.handles(this.#group.child)) setRef(each, held);
  }
}

/** Keeps this process alive while the handle is open, or lets it end. */
function setRef(handle: unknown, held: boolean): void {
  const method = (handle as Partial<Record<"ref" | "unref", unknown>> | null | undefined)?.[held ? "ref" : "unref"];
  if (typeof method === "function") method.call(handle);
}
