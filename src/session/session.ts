import type { Conversation, Message } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
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
import type { ByteTally } from "./session-size.js";
import type { SessionSummary } from "./session-summary.js";
import type { StoredInteraction } from "./stored/interaction-record.js";
import type { SessionJournal } from "./stored/journal.js";
import type { Outcome } from "./stored/outcome-record.js";
import type { StoredSession } from "./stored/stored-session.js";
import { ToolLists } from "./tool-lists.js";
import { beginTurn, type RecordedAnswer, type Turn } from "./turn/turn.js";

export interface SessionOptions {
  readonly id: string;
  readonly taskId: string;
  readonly groupId?: string | undefined;
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
  /** Receives the changes that must survive the process. */
  readonly journal?: SessionJournal | undefined;
  /** The key of the session's digests, 16 bytes. Default: the key of this process. */
  readonly digestKey?: Uint8Array | undefined;
  /** The summary of a stored session, whose data {@link Session.load} reads. Default: a new session. */
  readonly summary?: SessionSummary | undefined;
}

/** Maximum time until clients retry a failed call. */
const RETRY_MS = 60_000;

/** The greatest finite float32. Rewards are exported as float32. */
const MAX_REWARD = 3.4028234663852886e38;

/**
 * Records one episode: its model calls as conversation trees, and their rewards. The state of its lifecycle decides which
 * calls are allowed.
 */
export class Session {
  readonly id: string;
  readonly taskId: string;
  readonly groupId: string | undefined;
  readonly createdAt: number;
  readonly lifecycle: Lifecycle;
  /** Calls that exports aborted because they did not end in time. */
  incompleteCalls: number;
  lastAccessAt = Date.now();
  #leaseId: string | undefined;
  #takeovers = 0;
  #abortedCalls: number;
  #upstreamCalls: number;

  readonly calls: CallsInFlight;
  readonly leftOut: LeftOutChoice;
  readonly #events: SessionEvents | undefined;
  readonly #journal: SessionJournal | undefined;
  readonly #data: SessionData;
  /** Number of users of the data; see {@link hold}. */
  #users = 0;
  #dataChanges = 0;
  /** Number of interactions with a reward of their own. */
  #rewards: number;
  #sessionReward: number | undefined;
  /** Number of interactions when the session ended. */
  #countAtEnd: number;
  #promptTokens: number;
  #completionTokens: number;

  constructor(options: SessionOptions) {
    const { summary } = options;
    this.id = options.id;
    this.taskId = options.taskId;
    this.groupId = options.groupId;
    this.#leaseId = options.leaseId;
    this.createdAt = summary?.createdAt ?? Date.now();
    this.incompleteCalls = summary?.incompleteCalls ?? 0;
    this.#abortedCalls = summary?.abortedCalls ?? 0;
    this.#upstreamCalls = summary?.upstreamCalls ?? 0;
    this.#rewards = summary?.rewards ?? 0;
    this.#sessionReward = summary?.sessionReward;
    this.#countAtEnd = summary?.countAtEnd ?? 0;
    this.#promptTokens = summary?.promptTokens ?? 0;
    this.#completionTokens = summary?.completionTokens ?? 0;
    this.#events = options.events;
    this.#journal = options.journal;
    const { journal, messageFilters: filters = [], digestKey, tally = { bytes: 0 } } = options;
    const { toolLists = new ToolLists(tally) } = options;
    this.lifecycle = new Lifecycle(journal && (() => journal.summaryChanged()), summary);
    const onOutcome = (index: number) => this.#storeOutcome(index);
    this.#data = new SessionData(this.id, { filters, digestKey, tally, toolLists, journal, summary, onOutcome });
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

  /** Which answers reached the client. */
  get delivery(): Delivery {
    return this.#data.delivery;
  }

  get state(): SessionState {
    return this.lifecycle.state;
  }

  /** Number of recorded interactions, including those that batches leave out. */
  get interactionCount(): number {
    return this.#data.log.count;
  }

  /** Input tokens of all recorded calls together. */
  get promptTokens(): number {
    return this.#promptTokens;
  }

  /** Output tokens of all recorded calls together. */
  get completionTokens(): number {
    return this.#completionTokens;
  }

  /** True if neither the session nor any interaction has a reward. */
  get rewardsMissing(): boolean {
    return this.#rewards === 0 && this.#sessionReward === undefined;
  }

  /** Number of interactions with a reward of their own. */
  get rewardCount(): number {
    return this.#rewards;
  }

  /** The reward of the whole session, which all of its trees share. */
  get sessionReward(): number | undefined {
    return this.#sessionReward;
  }

  /** Native memory that this session holds, in bytes. */
  get byteLength(): number {
    return this.lifecycle.freed ? 0 : this.tokens.byteLength;
  }

  /** Memory that this session holds, native and in JavaScript, in bytes. */
  get storedBytes(): number {
    return this.#data.size.bytes;
  }

  /** Tokens of all recorded calls. Tokens that a call shares with its parent count once. */
  get storedTokens(): number {
    return this.#data.size.tokens;
  }

  /** The native session with the tokens, for planning an export. */
  get tokens(): NativeSession {
    return this.#data.tokens;
  }

  touch(): void {
    this.lastAccessAt = Date.now();
  }

  /** False while the data is on disk only. Until {@link load}, only {@link summarize} and its values may be used. */
  get isLoaded(): boolean {
    return this.#data.isLoaded;
  }

  /** Number of changes of the stored data in this process. If it grew since the last commit, the newest data is in memory only. */
  get dataChanges(): number {
    return this.#dataChanges;
  }

  /** Keeps the data in memory. Each call needs a call of {@link release}. */
  hold(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
  }

  /** Returns true if the data is not in use and may be freed with {@link unload}. */
  canUnload(now = Date.now()): boolean {
    const isUsed = this.#users > 0 || this.calls.size > 0 || this.lifecycle.exporting || this.delivery.awaitsAnswers;
    if (!this.isLoaded || this.lifecycle.freed || isUsed) return false;
    // Failed calls are not stored, so unloading would forget them: a later retry could not be matched to its first attempt.
    return !this.delivery.attempts.hasFailed || now - this.lastAccessAt > RETRY_MS;
  }

  /** Calls whose client disconnected before they were recorded. */
  get abortedCalls(): number {
    return this.#abortedCalls;
  }

  countAbortedCall(): void {
    this.#abortedCalls++;
    if (!this.lifecycle.freed) this.#journal?.summaryChanged();
  }

  /** Number of calls to upstreams. They are not recorded. */
  get upstreamCalls(): number {
    return this.#upstreamCalls;
  }

  countUpstreamCall(): void {
    this.#upstreamCalls++;
    this.#journal?.summaryChanged();
  }

  /** Returns everything about the session that stays known without its data. */
  summarize(): SessionSummary {
    const { state, endedAt, freed, held, acknowledged } = this.lifecycle;
    return {
      id: this.id,
      taskId: this.taskId,
      groupId: this.groupId,
      leaseId: this.leaseId,
      createdAt: this.createdAt,
      state,
      endedAt,
      freed,
      held,
      acknowledged,
      interactionCount: this.interactionCount,
      countAtEnd: this.#countAtEnd,
      incompleteCalls: this.incompleteCalls,
      abortedCalls: this.#abortedCalls,
      upstreamCalls: this.#upstreamCalls,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      storedTokens: this.storedTokens,
      rewards: this.#rewards,
      sessionReward: this.#sessionReward,
      leftOut: this.leftOut.stored,
    };
  }

  /** Restores the data from disk. Throws if it is damaged; nothing is restored then. */
  load(stored: StoredSession): void {
    if (this.isLoaded) return;
    this.#data.load(stored, this.#sessionReward);
  }

  /** Like {@link load}, but restores the tokens on another thread. `stored` must not change meanwhile. Skips a freed session. */
  async loadAsync(stored: StoredSession): Promise<void> {
    if (this.isLoaded || this.lifecycle.freed) return;
    await this.#data.loadAsync(stored, this.#sessionReward, () => !this.lifecycle.freed);
  }

  /** Frees the data, which must be on disk. {@link load} restores it. */
  unload(): void {
    if (this.isLoaded && !this.lifecycle.freed) this.#data.unload();
  }

  /**
   * Begins a model call in steps, because conversations can have megabytes.
   *
   * @param previousId id of the interaction that the request names as its predecessor
   */
  begin(conversation: Conversation, previousId?: string): Steps<Turn> {
    return beginTurn(this.#data, conversation, {
      previous: previousId === undefined ? undefined : this.find(previousId),
      requireRecordable: (id) => this.#requireRecordable(id),
      onRecorded: (recorded) => this.#addRecorded(recorded),
    });
  }

  interaction(index: number): RecordedInteraction {
    return this.#data.log.at(index);
  }

  /** Returns the interaction with this id; undefined if there is none or it was freed. */
  find(id: string): RecordedInteraction | undefined {
    const { log } = this.#data;
    return log.has(id) ? log.require(id) : undefined;
  }

  /** Returns a copy of the tokens of an interaction, input and output together. */
  readSequence(index: number): Int32Array {
    return this.#data.readSequence(index);
  }

  /** @throws SessionError if the tokens were already freed by an export or by expiry */
  requireTokens(): void {
    if (!this.lifecycle.freed) return;
    const state = this.state === "expired" ? "expired" : "exported";
    throw new SessionError(`session_${state}`, `Session ${this.id} is ${state} and its tokens are freed.`);
  }

  /** Counts memory that other objects keep for this session until its data is freed. */
  keepBytes(bytes: number): void {
    this.#data.size.addObjects(bytes);
  }

  /** Sets the reward of one interaction. Default: the one that completed last. Returns its id. */
  setReward(reward: number, interactionId?: string): string {
    const { log, tokens } = this.#data;
    const { id, index } = interactionId === undefined ? log.requireNewest() : log.require(interactionId);
    this.#requireRewardable(reward);
    const { ownReward } = tokens.interaction(index);
    tokens.setReward(index, reward);
    if (ownReward === undefined) this.#rewards++;
    this.#storeOutcome(index);
    this.#journal?.summaryChanged();
    if (ownReward !== reward) this.#events?.emit("reward", reward, "interaction");
    return id;
  }

  /**
   * Sets the reward of the whole session, in addition to rewards of its interactions. Every interaction receives it,
   * discounted once per edge down to its descendant leaf that completed last.
   */
  setSessionReward(reward: number): void {
    this.#data.log.requireNewest();
    this.#requireRewardable(reward);
    this.tokens.setSessionReward(reward);
    if (this.#sessionReward !== reward) this.#events?.emit("reward", reward, "session");
    this.#sessionReward = reward;
    this.#journal?.summaryChanged();
  }

  /** Gives the session to another run of the agent. The caller must refuse all later requests of the former one. */
  takeOver(leaseId: string | undefined): void {
    this.#leaseId = leaseId;
    this.#takeovers++;
    this.touch();
    this.#journal?.summaryChanged();
  }

  /**
   * Ends the session. Calls in flight go on. Returns the number of interactions at its end, also if it had ended before.
   */
  end(outcome: SessionOutcome = "ended"): number {
    if (this.lifecycle.end()) {
      this.#countAtEnd = this.interactionCount;
      this.#journal?.summaryChanged();
      this.#events?.emit("over", this, outcome);
    }
    return this.#countAtEnd;
  }

  /** Frees tokens and messages. The session object stays, with its counts. */
  free(state: "expired" | "exported"): void {
    if (this.state === "active") this.#events?.emit("over", this, "expired");
    this.lifecycle.free(state);
    this.#data.free();
    this.leftOut.clear();
    this.#journal?.freed(this.interactionCount);
  }

  /** Begins an export: until it ends, calls and rewards are refused. */
  beginExport(): void {
    this.lifecycle.beginExport();
  }

  /** Ends an export that {@link beginExport} began. */
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

  /** Returns the input messages of an interaction, exactly as its request spelled them. */
  readMessages(interaction: RecordedInteraction): Message[] {
    return this.#data.log.readMessages(interaction);
  }

  /** Returns the JSON of the tools of an interaction; undefined if it had none or they were not recorded. */
  readTools(interaction: RecordedInteraction): string | undefined {
    return this.#data.readTools(interaction);
  }

  /**
   * Returns an interaction as the journal received it, but without its request, which only retries need. The session must have ended.
   */
  toStored(index: number): StoredInteraction {
    return this.#data.toStored(this.interaction(index), undefined);
  }

  /** Returns the outcome of an interaction. An answer that is still being sent counts as answered, as it does in an export. */
  readOutcome(index: number): Outcome {
    return {
      reward: this.tokens.interaction(index).ownReward,
      answered: !this.delivery.hasClosedEarly(index),
      repeatedBy: this.delivery.attempts.repeatedBy(index),
      referenced: this.delivery.wasReferenced(index),
    };
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
    if (id === undefined || !this.#data.log.has(id)) return;
    const message = `interactionId must be new in session ${this.id}; received "${id}", which it already has.`;
    throw new SessionError("invalid_value", message, { param: "interactionId" });
  }

  /** Counts a recorded answer, which is still to be sent, and stores it if sessions are stored. */
  #addRecorded({ interaction, promptTokens, outputTokens, objectBytes, tools, request }: RecordedAnswer): void {
    this.#promptTokens += promptTokens;
    this.#completionTokens += outputTokens;
    this.touch();
    if (!this.#journal) return;
    const { index } = interaction;
    this.delivery.awaitAnswer(index);
    this.#dataChanges++;
    this.#journal.recorded(index, this.#data.toStored(interaction, request, objectBytes), tools);
  }

  /** Stores the outcome of an interaction, which changed. */
  #storeOutcome(index: number): void {
    if (!this.#journal) return;
    this.#dataChanges++;
    this.#journal.outcomeChanged(index, {
      // Most sessions get their rewards at their end. Until then, asking native memory after each answer costs more than the rest.
      reward: this.#rewards === 0 ? undefined : this.tokens.interaction(index).ownReward,
      answered: this.delivery.wasAnswered(index),
      repeatedBy: this.delivery.attempts.repeatedBy(index),
      referenced: this.delivery.wasReferenced(index),
    });
  }
}
