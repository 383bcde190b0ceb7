import type { Conversation } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import type { WithoutChannels } from "../facts/channels.js";
import type { SamplingOverrideFields } from "../facts/sampling-override.js";
import type { NativeSession } from "../native/contract.js";
import type { Steps } from "../support/async/steps.js";
import { CallsInFlight } from "./delivery/calls-in-flight.js";
import type { Delivery, LeftOutInteraction } from "./delivery/delivery.js";
import { LeftOutChoice } from "./delivery/left-out-choice.js";
import { SessionError } from "./errors.js";
import { type ExportOutcome, Lifecycle, type SessionState } from "./lifecycle.js";
import type { RecordedInteraction } from "./recorded-interaction.js";
import { SessionData } from "./session-data.js";
import type { SessionEvents, SessionOutcome } from "./session-events.js";
import { ImagePool } from "./session-images.js";
import type { ByteTally } from "./session-size.js";
import {
  type CallCounts,
  readCallCounts,
  type SessionStart,
  type SessionSummary,
  type Split,
} from "./session-summary.js";
import type { SessionJournal } from "./stored/journal.js";
import { ToolLists } from "./tool-lists.js";
import { beginTurn, type SequencePlace, type Turn } from "./turn/turn.js";

export interface SessionOptions extends SessionStart {
  readonly id: string;
  /** Its number in its registry, under which it is stored. */
  readonly number?: number;
  /** Lease of the rollout job that started the session. */
  readonly leaseId?: string | undefined;
  /** Text that matches is ignored when searching for a parent interaction. */
  readonly messageFilters?: readonly MessageFilter[];
  /** Receives an event when the session is over and when a reward is set. */
  readonly events?: SessionEvents;
  /** Sum of the memory of all sessions, which this session updates. */
  readonly tally?: ByteTally;
  /** The tools of all sessions, which this session shares. Default: its own. */
  readonly toolLists?: ToolLists;
  /** The image files of all sessions, which this session shares. Default: its own. */
  readonly imagePool?: ImagePool;
  /** Receives the changes that must survive the process. */
  readonly journal?: SessionJournal | undefined;
  /** The key of the session's digests, 16 bytes. Default: the key of this process. */
  readonly digestKey?: Uint8Array | undefined;
  /** The summary of a stored session, whose data {@link SessionData.load} reads. Default: a new session. */
  readonly summary?: SessionSummary | undefined;
  /** See {@link Session.archived}. Default: false. */
  readonly archived?: boolean | undefined;
}

/** The greatest finite float32. Rewards are exported as float32. */
const MAX_REWARD = 3.4028234663852886e38;

/**
 * Records one episode: its model calls as conversation trees, and their rewards. The state of its lifecycle decides which
 * calls are allowed.
 */
export class Session {
  readonly id: string;
  /** Its number in its registry; undefined for a session of a {@link TrajectoryStore}. */
  readonly number: number | undefined;
  readonly taskId: string;
  readonly groupId: string | undefined;
  /** Sampling parameters of each call, by their names in requests. */
  readonly samplingOverride: SamplingOverrideFields | undefined;
  readonly withoutChannels: WithoutChannels;
  readonly split: Split;
  /** See {@link SessionStart}. */
  readonly runId: string | undefined;
  readonly xSessionId: string | undefined;
  readonly createdAt: number;
  readonly lifecycle: Lifecycle;
  /** The recorded calls. While they are on disk only, only their numbers may be read. */
  readonly data: SessionData;
  readonly calls: CallsInFlight;
  readonly leftOut: LeftOutChoice;
  /** True if the archive has the data as it is. Stored with the session. */
  archived: boolean;
  /** Until this time, in milliseconds since the epoch, an export that is over does not free the data, because the archive still reads it. */
  keptUntil = 0;
  lastAccessAt = Date.now();
  readonly #counts: CallCounts;
  readonly #events: SessionEvents | undefined;
  #leaseId: string | undefined;
  #takeovers = 0;

  constructor(options: SessionOptions) {
    const { summary, journal, messageFilters: filters = [], digestKey, tally = { bytes: 0 } } = options;
    const { toolLists = new ToolLists(tally), imagePool = new ImagePool(tally) } = options;
    this.id = options.id;
    this.number = options.number;
    this.taskId = options.taskId;
    this.groupId = options.groupId;
    this.samplingOverride = options.samplingOverride;
    this.withoutChannels = options.withoutChannels;
    this.split = options.split ?? "train";
    this.runId = options.runId;
    this.xSessionId = options.xSessionId;
    this.createdAt = summary?.createdAt ?? Date.now();
    this.#leaseId = options.leaseId;
    this.archived = options.archived ?? false;
    this.#counts = readCallCounts(summary);
    this.#events = options.events;
    this.lifecycle = new Lifecycle(journal && (() => journal.summaryChanged()), summary);
    this.data = new SessionData(this.id, { filters, digestKey, tally, toolLists, imagePool, journal, summary });
    this.calls = new CallsInFlight(this.delivery.attempts);
    this.leftOut = new LeftOutChoice(this.delivery, summary?.leftOut);
  }

  /** Lease of the rollout job for which the session runs. */
  get leaseId(): string | undefined {
    return this.#leaseId;
  }

  /**
   * Number of times that the session was {@link takeOver taken over} in this process. A request that began with another number belongs to
   * a former run of the agent.
   */
  get takeovers(): number {
    return this.#takeovers;
  }

  get state(): SessionState {
    return this.lifecycle.state;
  }

  get counts(): Readonly<CallCounts> {
    return this.#counts;
  }

  /** Which answers reached the client. */
  get delivery(): Delivery {
    return this.data.delivery;
  }

  /** The native session with the tokens, for planning an export. */
  get tokens(): NativeSession {
    return this.data.tokens;
  }

  /** Number of recorded interactions, including those that batches leave out. */
  get interactionCount(): number {
    return this.data.log.count;
  }

  interaction(index: number): RecordedInteraction {
    return this.data.log.at(index);
  }

  /** Returns the interaction with this id; undefined if there is none or it was freed. */
  find(id: string): RecordedInteraction | undefined {
    const { log } = this.data;
    return log.has(id) ? log.require(id) : undefined;
  }

  /**
   * Returns the file of an image of a recorded prompt; undefined if the session has no such image, or is on disk only.
   *
   * @param sha256 of the file, in lowercase hexadecimal digits
   */
  imageFile(sha256: string): Uint8Array | undefined {
    return this.data.images.get(sha256);
  }

  /** False while the data is on disk only. */
  get isLoaded(): boolean {
    return this.data.isLoaded;
  }

  /** The reward of the whole session, which all of its trees share. */
  get sessionReward(): number | undefined {
    return this.data.sessionReward;
  }

  /** True if neither the session nor any interaction has a reward. */
  get rewardsMissing(): boolean {
    return this.data.rewardCount === 0 && this.sessionReward === undefined;
  }

  touch(): void {
    this.lastAccessAt = Date.now();
  }

  /** Counts calls of a kind. */
  count(kind: "incompleteCalls" | "abortedCalls" | "upstreamCalls", calls = 1): void {
    this.#counts[kind] += calls;
    if (calls > 0 && !this.lifecycle.freed) this.data.journal?.summaryChanged();
  }

  /**
   * Returns everything about the session that stays known without its data. Lists every field: with spreads, this takes sixty
   * microseconds instead of a tenth of one, for each recorded call.
   */
  summarize(): SessionSummary {
    const { state, endedAt, freed, held, acknowledged } = this.lifecycle;
    return {
      id: this.id,
      taskId: this.taskId,
      groupId: this.groupId,
      samplingOverride: this.samplingOverride,
      withoutChannels: this.withoutChannels,
      split: this.split,
      runId: this.runId,
      xSessionId: this.xSessionId,
      leaseId: this.leaseId,
      createdAt: this.createdAt,
      state,
      endedAt,
      freed,
      held,
      acknowledged,
      interactionCount: this.interactionCount,
      countAtEnd: this.#counts.countAtEnd,
      incompleteCalls: this.#counts.incompleteCalls,
      abortedCalls: this.#counts.abortedCalls,
      upstreamCalls: this.#counts.upstreamCalls,
      promptTokens: this.#counts.promptTokens,
      completionTokens: this.#counts.completionTokens,
      storedTokens: this.data.size.tokens,
      rewards: this.data.rewardCount,
      sessionReward: this.sessionReward,
      leftOut: this.leftOut.stored,
    };
  }

  /**
   * Begins a model call in steps, because conversations can have megabytes.
   *
   * @param previousId id of the interaction that the request names as its predecessor
   * @param place see {@link TurnOptions.place}
   * @param model see {@link TurnOptions.model}
   */
  begin(conversation: Conversation, previousId?: string, place?: SequencePlace, model?: string): Steps<Turn> {
    return beginTurn(this.data, conversation, {
      place,
      model,
      previous: previousId === undefined ? undefined : this.find(previousId),
      requireRecordable: (id) => this.#requireRecordable(id),
      onRecorded: (promptTokens, outputTokens) => {
        this.#counts.promptTokens += promptTokens;
        this.#counts.completionTokens += outputTokens;
        this.touch();
      },
    });
  }

  /** @throws SessionError if the tokens were already freed by an export or by expiry */
  requireTokens(): void {
    if (!this.lifecycle.freed) return;
    const state = this.state === "expired" ? "expired" : "exported";
    throw new SessionError(`session_${state}`, `Session ${this.id} is ${state} and its tokens are freed.`);
  }

  /** True if a model that is not trained answered a call. */
  get hasFrozen(): boolean {
    return this.data.log.frozenCount > 0;
  }

  /**
   * Sets the reward of one interaction. Default: the one that completed last, of those of trained models if there are any. Returns its id.
   */
  setReward(reward: number, interactionId?: string): string {
    const { log } = this.data;
    const { id, index } = interactionId === undefined ? log.requireNewestTrained() : log.require(interactionId);
    this.#requireRewardable(reward);
    const before = this.data.setReward(index, reward);
    this.data.journal?.summaryChanged();
    if (before !== reward) this.#events?.emit("reward", this, reward, "interaction");
    return id;
  }

  /**
   * Sets the reward of the whole session, in addition to rewards of its interactions. Every interaction receives it,
   * discounted once per edge down to its descendant leaf that completed last.
   */
  setSessionReward(reward: number): void {
    const { log, sessionReward: before } = this.data;
    log.requireNewest();
    this.#requireRewardable(reward);
    this.data.setSessionReward(reward);
    if (before !== reward) this.#events?.emit("reward", this, reward, "session");
    this.data.journal?.summaryChanged();
  }

  /** Gives the session to another run of the agent. The caller must refuse all later requests of the former one. */
  takeOver(leaseId: string | undefined): void {
    this.#leaseId = leaseId;
    this.#takeovers++;
    this.touch();
    this.data.journal?.summaryChanged();
  }

  /**
   * Ends the session. Calls in flight go on. Returns the number of interactions at its end, also if it had ended before.
   */
  end(outcome: SessionOutcome = "ended"): number {
    if (this.lifecycle.end()) {
      this.#counts.countAtEnd = this.interactionCount;
      this.data.journal?.summaryChanged();
      this.#events?.emit("over", this, outcome);
    }
    return this.#counts.countAtEnd;
  }

  /** Frees tokens and messages. The session object stays, with its counts. */
  free(state: "expired" | "exported"): void {
    if (this.state === "active") this.#events?.emit("over", this, "expired");
    this.lifecycle.free(state);
    this.data.free();
    this.leftOut.clear();
    this.data.journal?.freed(this.interactionCount);
  }

  /** Ends an export that {@link Lifecycle.beginExport} began. */
  endExport(outcome: ExportOutcome): void {
    if (outcome !== "left") this.leftOut.settle();
    this.lifecycle.endExport(outcome);
    if (!this.lifecycle.exporting) this.leftOut.forget();
  }

  /** Returns the interactions that an export leaves out, by ascending index. During an export, this decides for all later ones. */
  chooseLeftOut(): readonly LeftOutInteraction[] {
    if (this.lifecycle.exporting) this.leftOut.choose();
    return this.leftOut.list();
  }

  #requireOpen(code: "session_ended" | "session_exported", consequence: string): void {
    if (this.lifecycle.exporting) {
      throw new SessionError("session_exporting", `Session ${this.id} is being exported. Try again in a second.`);
    }
    if (this.state === "exported" || this.state === "expired") {
      throw new SessionError(code, `Session ${this.id} is ${this.state} and ${consequence}.`);
    }
  }

  #requireRewardable(reward: number): void {
    if (!(Math.abs(reward) <= MAX_REWARD)) {
      const message = `reward must be a finite number that fits a float32; received ${reward}.`;
      throw new SessionError("invalid_value", message, { param: "reward" });
    }
    this.#requireOpen("session_exported", "its rewards are final");
  }

  #requireRecordable(id: string | undefined): void {
    this.#requireOpen("session_ended", "records no more calls");
    if (id === undefined || !this.data.log.has(id)) return;
    const message = `interactionId must be new in session ${this.id}; received "${id}", which it already has.`;
    throw new SessionError("invalid_value", message, { param: "interactionId" });
  }
}
