import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createDeferred, type Deferred } from "../../support/async/deferred.js";
import { onAbort } from "../../support/async/on-abort.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { type ChildEnd, describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { OutputTail } from "../../support/processes/output-tail.js";
import { readLines } from "../../support/processes/read-lines.js";
import { SubprocError } from "../subproc/errors.js";
import { addStandardError, noteStandardError, processError } from "../subproc/standard-error.js";
import { TaskNotTaken } from "../subproc/worker-process.js";
import type { PythonAgentFile } from "./agent-file.js";
import { createPythonEnvironment, WORKER_ARGUMENTS } from "./find-python.js";
import { type ParentMessage, type PythonMessage, type PythonTask, parseMessage, type TaskEnd } from "./messages.js";
import { noteSharedEnd, toLoadError, toTaskError } from "./python-errors.js";

const TAIL_BYTES = 8192;
const LONGEST_LINE_BYTES = 1 << 26;
/** How long a cancelled task may clean up before its process is not used any more. */
const CANCEL_SECONDS = 10;

export interface PythonWorkerOptions {
  /** The interpreter. */
  readonly python: string;
  readonly agent: PythonAgentFile;
  readonly keywordArguments: Readonly<Record<string, unknown>>;
  /** Default: 10. */
  readonly cancelSeconds?: number | undefined;
  /** Is called when a task or the process has ended, so that another task may start. */
  readonly onChange: () => void;
}

/** The report of a worker that has imported its agent. */
export interface LoadedAgent {
  /** True if the agent can run many tasks at once. */
  readonly isAsync: boolean;
  /** True if the agent can go on with an episode that was cut. */
  readonly canResume: boolean;
}

interface Running extends Pick<Deferred<unknown>, "resolve" | "reject"> {
  started: boolean;
  /** The worker has cancelled the task, so its event loop is not blocked. */
  cancelling: boolean;
  cancelTimer?: NodeJS.Timeout;
  /** The error that the agent raised. */
  failure?: Error;
}

/** One Python process with its agent, as this process sees it. */
export class PythonWorker {
  /** Resolves when the agent is loaded. Rejects with a WorkflowError or a SubprocError. */
  readonly loaded: Promise<LoadedAgent>;
  readonly #options: PythonWorkerOptions;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #group: ChildGroup;
  readonly #tail: OutputTail;
  readonly #flush: () => void;
  /** Tasks of the process by id, including those that were given up but have not ended. */
  readonly #tasks = new Map<number, Running>();
  readonly #loading: Deferred<LoadedAgent> = createDeferred();
  #agent: LoadedAgent | undefined;
  #state: "usable" | "retired" | "gone" = "usable";
  #whyKilled: string | undefined;
  #culprit: "known" | "unknown" = "unknown";
  #reserved = 0;
  #nextId = 0;
  #holders = 0;

  constructor(options: PythonWorkerOptions) {
    this.#options = options;
    this.loaded = this.#loading.promise;
    // The pool listens too, but a process may fail when nobody waits for it.
    this.loaded.catch(() => {});
    this.#child = spawn(options.python, WORKER_ARGUMENTS, {
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: createPythonEnvironment(),
    });
    this.#group = new ChildGroup(this.#child);
    const { stdin, stdout, stderr } = this.#child;
    // If this process has too many open files, Node creates no streams and reports the error later.
    if ((stdin as Writable | undefined) === undefined) {
      throw new SubprocError("worker_start_failed", `${options.python} could not be started: too many open files`);
    }
    // The process may have ended: its exit is handled.
    stdin.on("error", () => {});
    this.#flush = forwardLines(stderr);
    this.#tail = new OutputTail(stderr, TAIL_BYTES);
    readLines(stdout, LONGEST_LINE_BYTES, (line) => this.#read(line));
    void this.#group.exited.then(() => (this.#state = "gone"));
    void this.#group.ended.then((end) => this.#end(end));
    for (const each of [this.#child, stdin, stdout, stderr]) setRef(each, false);
    const { file, name = null } = options.agent;
    this.#send({ type: "load", file, name, arguments: options.keywordArguments });
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

  /** Counts a task that is about to run. Call {@link release}, or {@link waitUntilLoaded} and {@link run}. */
  reserve(): void {
    this.#reserved++;
  }

  /** Gives up a task that was reserved. */
  release(): void {
    this.#reserved--;
    this.#changed();
  }

  /**
   * Waits until a reserved task can run.
   *
   * @throws TaskNotTaken, or the reason of the signal; the task is then not reserved any more
   */
  async waitUntilLoaded(signal: AbortSignal): Promise<void> {
    try {
      using _held = this.hold();
      await untilAborted(this.loaded, signal);
      // A race of two promises that have settled is won by the first.
      signal.throwIfAborted();
    } catch (error) {
      this.release();
      if (signal.aborted) throw signal.reason;
      throw new TaskNotTaken((error as Error).message, this.#tail.text);
    }
  }

  /**
   * Runs a reserved task when the agent is loaded, and returns what the agent returned.
   *
   * If the signal aborts, an asynchronous agent's task is cancelled; the process of a synchronous agent is killed.
   *
   * @throws TaskNotTaken, the error that the agent raised, or the reason of the signal
   */
  async run(task: PythonTask, signal: AbortSignal): Promise<unknown> {
    if (this.#agent?.isAsync !== true) await this.#readStandardError();
    this.#reserved--;
    if (!this.usable) throw new TaskNotTaken("it was stopped", this.#tail.text);
    using _held = this.hold();
    // The standard error of tasks that run at once is mixed.
    if (this.#agent?.isAsync !== true) this.#tail.clear();
    const id = this.#nextId++;
    const { promise, resolve, reject } = createDeferred<unknown>();
    this.#tasks.set(id, { started: false, cancelling: false, resolve, reject });
    this.#send({ type: "run", id, ...task });
    // After the task was sent, because a worker ignores the cancellation of a task that it does not know.
    using _givingUp = onAbort(signal, () => this.#giveUp(id, signal.reason));
    return await promise;
  }

  /**
   * Reads what is left of the standard error. The process wrote it before its last message, but to another pipe, which may be read later.
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

  /** Kills the process and writes its incomplete last line now, because this process may end before it reads the end. */
  close(): void {
    this.kill();
    this.#flush();
  }

  /** Keeps this process alive while it waits for the worker. */
  hold(): Disposable {
    if (this.#holders++ === 0) this.#setRefs(true);
    return {
      [Symbol.dispose]: () => {
        if (--this.#holders === 0) this.#setRefs(false);
      },
    };
  }

  #send(message: ParentMessage): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(line: string | undefined): void {
    const message = line === undefined ? undefined : parseMessage(line);
    if (message) this.#handle(message);
    else this.kill("it wrote something other than a message to the worker's connection");
  }

  #handle(message: PythonMessage): void {
    switch (message.type) {
      case "ready":
        this.#agent = { isAsync: message.is_async, canResume: message.can_resume };
        return this.#loading.resolve(this.#agent);
      case "load_failed":
        this.#loading.reject(toLoadError(message.error));
        return this.kill();
      case "started":
      case "cancelling": {
        const running = this.#tasks.get(message.id);
        if (running) running[message.type] = true;
        return;
      }
      case "done":
      case "invalid":
      case "failed":
        return void this.#finish(message);
    }
  }

  async #finish(end: TaskEnd): Promise<void> {
    const running = this.#tasks.get(end.id);
    if (!running) return;
    if (end.type === "done") running.resolve(end.value);
    else if (this.#agent?.isAsync === true) running.reject(toTaskError(end));
    else await this.#fail(running, toTaskError(end));
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
        if (count > 1) noteSharedEnd(error, this.#culprit);
        running.reject(error);
      } else running.reject(new TaskNotTaken(how, this.#tail.text));
    }
    this.#tasks.clear();
    this.#options.onChange();
  }

  #startError(end: ChildEnd): SubprocError {
    const { python } = this.#options;
    if (end.how === "not_started") {
      const advice = "Install Python 3.10 or newer, or set rollout.agent.python.";
      const message = `${python} could not be started: ${describeEnd(end)}. ${advice}`;
      return new SubprocError("program_not_started", message, { cause: end.error });
    }
    const how = this.#whyKilled ?? describeEnd(end);
    const sentence = `A Python process ended before it had loaded the agent: ${how}.`;
    return processError("worker_start_failed", sentence, this.#tail.text);
  }

  #setRefs(held: boolean): void {
    for (const each of [this.#child, this.#child.stdin, this.#child.stdout]) setRef(each, held);
  }
}

/** Lets this process end, or keeps it from ending, while the handle is open. */
function setRef(handle: object, held: boolean): void {
  const method = (handle as { readonly ref?: unknown; readonly unref?: unknown })[held ? "ref" : "unref"];
  if (typeof method === "function") method.call(handle);
}
