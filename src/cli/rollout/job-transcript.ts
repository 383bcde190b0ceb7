import { dirname, relative } from "node:path";
import { AdminClient } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { HttpTransport } from "../../client/transport.js";
import type { Config } from "../../config/index.js";
import type { JobStore } from "../../job/job-store.js";
import type { TaskResult } from "../../job/task.js";
import { modelDigest } from "../../model/model-digest.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { AcceptedEpisode, RejectedEpisode } from "../../rollout/contract.js";
import { SubprocError } from "../../rollout/subproc/errors.js";
import { findModelFolder } from "../../server/open-engine.js";
import { readSessionTag } from "../../session/worker-tag.js";
import type { EpisodeLine, RunLine, StepLine } from "../../transcript/format.js";
import type { SessionAnswer } from "../../transcript/session-answer.js";
import { TranscriptWriter, type WrittenEpisode } from "../../transcript/writer.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutScreen } from "./screen.js";
import { TranscriptReader } from "./transcript-reader.js";

/** Name of the transcript of a job with this `--out`. */
export const transcriptFileOf = (out: string): string => `${out}.jsonl`;

/** Episodes that wait beyond this number are written without their messages. */
const MAX_WAITING = 1000;
/** How long a batch waits for the transcripts of its episodes, whose sessions are freed then. */
const BATCH_WAIT_MS = 5000;
/** How long the end of the job waits. */
const CLOSE_WAIT_MS = 10_000;

/** The part of a job that its transcript needs. */
export interface TranscribedJob {
  readonly config: Pick<Config, "engine" | "model" | "rollout">;
  readonly options: Pick<RolloutOptions, "out" | "proxy" | "transcripts">;
  readonly proxy: ConnectedProxy;
  readonly store: Pick<JobStore, "isResumed" | "discard">;
  readonly groupSize: number;
  readonly tasks: readonly unknown[];
  readonly screen: Pick<RolloutScreen, "line">;
}

interface EndedEpisode {
  readonly head: Omit<EpisodeLine, "interactions">;
  /** Address of the proxy that has its session. */
  readonly url: string;
}

export interface WrittenBatchFacts {
  readonly number: number;
  readonly file: string;
  readonly version: number;
  readonly sessionIds: readonly string[];
}

/**
 * Writes the transcript of a job. It reads each episode from the proxy when it has ended, and then deletes the session of a rejected
 * one. The job waits for it only before a batch's sessions are freed and at its end, and not for long.
 */
export class JobTranscript {
  readonly #job: TranscribedJob;
  readonly #writer: TranscriptWriter | undefined;
  /** The reader of each worker, by its address and tag: behind a gateway, several workers have one address. */
  readonly #readers = new Map<string, TranscriptReader>();
  readonly #stopping = new AbortController();
  /** Episodes that are not written yet, by session. */
  readonly #pending = new Map<string, Promise<void>>();
  /** Sessions that an earlier process has written. */
  readonly #written: ReadonlySet<string>;
  #warned = false;

  private constructor(job: TranscribedJob, writer: TranscriptWriter | undefined) {
    this.#job = job;
    this.#writer = writer;
    const earlier = writer?.earlier ?? [];
    this.#written = new Set(earlier.flatMap((line) => (line.type === "episode" ? (line.session_id ?? []) : [])));
  }

  /** Creates the transcript, or opens that of the process before; undefined with `--no-transcripts`. */
  static async open(job: TranscribedJob): Promise<JobTranscript | undefined> {
    const { options, store, screen } = job;
    if (options.transcripts === false) return undefined;
    const path = transcriptFileOf(options.out);
    try {
      const run = await describeRun(job);
      return new JobTranscript(job, await TranscriptWriter.open(path, run, { resume: store.isResumed }));
    } catch (error) {
      screen.line(`rolltape: warning: no transcript is written to ${path}: ${(error as Error).message}`);
      return new JobTranscript(job, undefined);
    }
  }

  /** The file; undefined if it could not be created. */
  get path(): string | undefined {
    return this.#writer?.path;
  }

  /** Adds the episodes of a task that has ended. */
  add(result: TaskResult): void {
    for (const episode of result.accepted) this.#start(this.#describeAccepted(result, episode));
    for (const episode of result.rejected) this.#start(this.#describeRejected(result, episode));
  }

  addBatch({ number, file, version, sessionIds }: WrittenBatchFacts): void {
    const name = relative(dirname(transcriptFileOf(this.#job.options.out)), file);
    const at = Date.now() / 1000;
    this.#write({ type: "batch", number, file: name, version, at, session_ids: sessionIds });
  }

  addStep(step: Pick<StepLine, "number" | "version" | "duration">): void {
    this.#write({ type: "step", ...step, at: Date.now() / 1000 });
  }

  /** Waits until these sessions are not needed any more, but not for long. */
  async settled(sessionIds: readonly string[], milliseconds = BATCH_WAIT_MS): Promise<void> {
    const pending = sessionIds.flatMap((id) => this.#pending.get(id) ?? []);
    if (pending.length === 0) return;
    for (const reader of this.#readers.values()) reader.flush();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
    await Promise.race([Promise.all(pending), late]);
    clearTimeout(timer);
  }

  /** Writes the episodes that have ended, and closes the file. */
  async close(): Promise<void> {
    await this.settled([...this.#pending.keys()], CLOSE_WAIT_MS);
    this.#stopping.abort(new Error("the job has ended"));
    await Promise.all(this.#pending.values());
    await this.#writer?.close();
    this.#warn();
  }

  #start(episode: EndedEpisode): void {
    const { session_id: id } = episode.head;
    if (id === undefined) return this.#write({ ...episode.head, interactions: [] });
    // Sessions of rejected episodes that an earlier process left are deleted when the job is restored.
    if (this.#written.has(id)) return;
    const ended = this.#record(id, episode, this.#pending.size >= MAX_WAITING).finally(() => this.#pending.delete(id));
    this.#pending.set(id, ended);
  }

  async #record(id: string, { head, url }: EndedEpisode, isCrowded: boolean): Promise<void> {
    if (this.#writer && !this.#writer.failure) {
      const read = isCrowded ? TOO_MANY : await this.#read(id, head, url);
      if (typeof read === "string") await this.#writer.write({ ...head, interactions: [], incomplete: read });
      else await this.#writer.writeEpisode(read);
      this.#warn();
    }
    if (!head.accepted) await this.#job.store.discard([id]);
  }

  /** Returns the line of an episode with what the proxy recorded of its session, or why it is not known. */
  async #read(id: string, head: EndedEpisode["head"], url: string): Promise<WrittenEpisode | string> {
    try {
      return joinAnswer(head, await this.#openReader(id, url).read(id));
    } catch (error) {
      const why = error instanceof ProxyError ? `${error.code}: ${error.message}` : (error as Error).message;
      return `the proxy did not return the session: ${why}`;
    }
  }

  #openReader(sessionId: string, url: string): TranscriptReader {
    const key = `${url} ${readSessionTag(sessionId) ?? ""}`;
    const known = this.#readers.get(key);
    if (known) return known;
    const { proxy, config } = this.#job;
    const { connections, adminKey } = proxy;
    const admin = url === proxy.url ? proxy.admin : new AdminClient(new HttpTransport(url, connections), adminKey);
    const discount = config.rollout.agent.turn_discount;
    const reader = new TranscriptReader(admin, { discount, signal: this.#stopping.signal });
    this.#readers.set(key, reader);
    return reader;
  }

  #write(line: Parameters<TranscriptWriter["write"]>[0]): void {
    void this.#writer?.write(line).then(() => this.#warn());
  }

  /** Tells once that the transcript ended early. */
  #warn(): void {
    const failure = this.#writer?.failure;
    if (this.#warned || !failure) return;
    this.#warned = true;
    this.#job.screen.line(`rolltape: warning: ${this.#writer?.path} is not complete: ${failure.message}`);
  }

  #describeAccepted(
    { index, taskId, version }: TaskResult,
    { sessionId, url, groupId }: AcceptedEpisode,
  ): EndedEpisode {
    const head = { type: "episode", session_id: sessionId, task: index, task_id: taskId, version } as const;
    return { head: { ...head, ...(groupId !== undefined && { group_id: groupId }), accepted: true }, url };
  }

  #describeRejected({ index, taskId, version }: TaskResult, rejected: RejectedEpisode): EndedEpisode {
    const { sessionId, groupId, reason } = rejected;
    const { cause } = reason;
    // If the agent's process failed, the stack is that of the job.
    const stack = cause instanceof Error && !(cause instanceof SubprocError) ? cause.stack : undefined;
    const head: EndedEpisode["head"] = {
      type: "episode",
      ...(sessionId !== undefined && { session_id: sessionId }),
      task: index,
      task_id: taskId,
      ...(groupId !== undefined && { group_id: groupId }),
      accepted: false,
      error: { code: reason.code, message: cut(reason.message), ...(stack !== undefined && { stack: cut(stack) }) },
      version,
    };
    return { head, url: this.#job.proxy.url };
  }
}

const TOO_MANY = "episodes ended faster than they could be read";

const MAX_TEXT = 1 << 16;
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function joinAnswer(head: EndedEpisode["head"], { head: session, interactions }: SessionAnswer): WrittenEpisode {
  const { started_at, duration, session_reward, summary } = session;
  const recorded = {
    ...(started_at !== undefined && { started_at }),
    ...(duration !== undefined && { duration }),
    ...(session_reward !== undefined && { session_reward }),
  };
  return { head: { ...head, ...recorded }, interactions, summary };
}

/** Returns the first line. The model is known only if the job has started the proxy itself. */
async function describeRun({ config, options, tasks, groupSize }: TranscribedJob): Promise<RunLine> {
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
