import { randomUUID } from "node:crypto";
import { canonicalMessages } from "../conversation/canonical.js";
import type { Conversation, Message } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import { native } from "../native/addon.js";
import type { NativePrompt, NativeSession, ParentMatch, RecordResult, RestoredTree } from "../native/contract.js";
import { runAtOnce, type Steps } from "../support/async/steps.js";
import { keepSpelling } from "../support/json/spelled.js";
import { findBrokenPrefixCause } from "./broken-prefix.js";
import { digestRecordedCallIds } from "./call-ids.js";
import { CallsInFlight } from "./calls-in-flight.js";
import { Compactions } from "./compactions.js";
import type { CompletedCall, PreparedMessages } from "./completed-call.js";
import { createInteraction } from "./create-interaction.js";
import { Delivery, type LeftOutInteraction, type LeftOutReason } from "./delivery.js";
import { encodeFacts, encodeLabels, type RecordedCall } from "./encode-facts.js";
import { SessionError } from "./errors.js";
import type { ExtendedAnswer } from "./extended-answers.js";
import { type InputMessages, type Interaction, listChoices } from "./interaction.js";
import { InteractionLog } from "./interaction-log.js";
import { KnownMessages } from "./known-messages.js";
import { type ExportOutcome, Lifecycle, type SessionState } from "./lifecycle.js";
import { readOwnPart } from "./own-part.js";
import { ParentSearch } from "./parent-search.js";
import { pickCallFacts } from "./pick-call-facts.js";
import { RequestFindings } from "./request-findings.js";
import { restoreReasoning } from "./restore-reasoning.js";
import type { SessionEvents, SessionOutcome } from "./session-events.js";
import { hashText } from "./session-keys.js";
import {
  type ByteTally,
  measureMessages,
  measureRequest,
  type PromptGrowth,
  SessionSize,
  TOKEN_BYTES,
} from "./session-size.js";
import type { SessionSummary } from "./session-summary.js";
import { SessionTools } from "./session-tools.js";
import type { StoredInteraction } from "./stored/interaction-record.js";
import type { SessionJournal } from "./stored/journal.js";
import type { Outcome } from "./stored/outcome-record.js";
import type { StoredSession } from "./stored/stored-session.js";
import { type ToolList, ToolLists } from "./tool-lists.js";
import { listUndeclaredCalls } from "./undeclared-calls.js";

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

  readonly #filters: readonly MessageFilter[];
  readonly #events: SessionEvents | undefined;
  readonly #journal: SessionJournal | undefined;
  readonly #digestKey: Uint8Array | undefined;
  readonly #known: KnownMessages;
  #native: NativeSession;
  readonly delivery = new Delivery(
    (index) => this.#native.interaction(index),
    (index) => this.#storeOutcome(index),
    (index) => listChoices(this.#log.at(index)),
  );
  readonly calls = new CallsInFlight(this.delivery.attempts);
  readonly #log: InteractionLog;
  readonly #parents: ParentSearch;
  readonly #compactions: Compactions;
  readonly #tools: SessionTools;
  readonly #size: SessionSize;
  #isLoaded: boolean;
  /** Number of users of the data; see {@link hold}. */
  #users = 0;
  #dataChanges = 0;
  /** Number of interactions with a reward of their own. */
  #rewards: number;
  #sessionReward: number | undefined;
  /** The interactions that exports leave out, once an export has begun to pack; see {@link chooseLeftOut}. */
  #chosenLeftOut: ReadonlyMap<number, LeftOutInteraction> | undefined;
  /** True once an export with that choice was settled, so that it may have reached a trainer. */
  #choiceIsFinal: boolean;
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
    this.#chosenLeftOut = summary?.leftOut && byIndex(summary.leftOut);
    this.#choiceIsFinal = summary?.leftOut !== undefined;
    this.#promptTokens = summary?.promptTokens ?? 0;
    this.#completionTokens = summary?.completionTokens ?? 0;
    this.#isLoaded = summary === undefined;
    this.#filters = options.messageFilters ?? [];
    this.#events = options.events;
    this.#journal = options.journal;
    this.#digestKey = options.digestKey;
    const { journal } = options;
    this.lifecycle = new Lifecycle(journal && (() => journal.summaryChanged()), summary);
    this.#native = new native.Session(this.#digestKey);
    this.#known = new KnownMessages(this.#filters, this.#digestKey);
    this.#log = new InteractionLog(options.id, summary?.interactionCount);
    this.#parents = new ParentSearch(() => this.#native, this.#log, this.#filters, this.delivery, this.#digestKey);
    this.#compactions = new Compactions(this.#log);
    const tally = options.tally ?? { bytes: 0 };
    this.#size = new SessionSize(() => this.#native.byteLength, tally, summary?.storedTokens);
    this.#tools = new SessionTools(options.toolLists ?? new ToolLists(tally), (key) => this.#journal?.readTools(key));
    if (summary?.freed) this.#size.free();
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

  /** Number of recorded interactions, including those that batches leave out. */
  get interactionCount(): number {
    return this.#log.count;
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
    return this.lifecycle.freed ? 0 : this.#native.byteLength;
  }

  /** Memory that this session holds, native and in JavaScript, in bytes. */
  get storedBytes(): number {
    return this.#size.bytes;
  }

  /** Tokens of all recorded calls. Tokens that a call shares with its parent count once. */
  get storedTokens(): number {
    return this.#size.tokens;
  }

  /** The native session with the tokens, for planning an export. */
  get tokens(): NativeSession {
    return this.#native;
  }

  touch(): void {
    this.lastAccessAt = Date.now();
  }

  /** False while the data is on disk only. Until {@link load}, only {@link summarize} and its values may be used. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Number of changes of the stored data in this process. If it grew since the last commit, the newest data is in memory only. */
  get dataChanges(): number {
    return this.#dataChanges;
  }

  /** Keeps the data in memory until {@link release} is called as often. */
  hold(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
  }

  /** Returns true if the data is not in use and may be freed with {@link unload}. */
  canUnload(now = Date.now()): boolean {
    const isUsed = this.#users > 0 || this.calls.size > 0 || this.lifecycle.exporting || this.delivery.awaitsAnswers;
    if (!this.#isLoaded || this.lifecycle.freed || isUsed) return false;
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
      leftOut: this.#choiceIsFinal && this.#chosenLeftOut ? [...this.#chosenLeftOut.values()] : undefined,
    };
  }

  /** Restores the data from disk. Throws if the tokens are damaged; nothing is restored then. */
  load(stored: StoredSession): void {
    if (this.#isLoaded) return;
    const restored = new native.Session(this.#digestKey);
    this.#adopt(stored, restored, restored.restore(...listParts(stored)));
  }

  /** {@link load} that restores the tokens on another thread. `stored` must not change meanwhile. Does nothing if the session is freed. */
  async loadAsync(stored: StoredSession): Promise<void> {
    if (this.#isLoaded || this.lifecycle.freed) return;
    const restored = new native.Session(this.#digestKey);
    const tree = await restored.restoreAsync(...listParts(stored));
    // It may have been deleted meanwhile.
    if (this.lifecycle.freed) restored.release();
    else this.#adopt(stored, restored, tree);
  }

  /** Frees the data, which must be on disk. {@link load} restores it. */
  unload(): void {
    if (!this.#isLoaded || this.lifecycle.freed) return;
    this.#isLoaded = false;
    this.#clearData();
  }

  /** @param previousId id of the interaction that the request names as its predecessor */
  prepare(conversation: Conversation, previousId?: string): PreparedMessages {
    return runAtOnce(this.prepareInSteps(conversation, previousId));
  }

  /** {@link prepare} in steps, for conversations of megabytes. */
  *prepareInSteps(conversation: Conversation, previousId?: string): Steps<PreparedMessages> {
    const { messages, tools = [], loadedTools = [], templateArgs } = conversation;
    const toolsText = tools.length > 0 ? JSON.stringify(tools, keepSpelling) : "";
    const toolsKey = toolsText && hashText(toolsText);
    const toolsBytes = toolsText.length;
    const previous = previousId === undefined ? undefined : this.find(previousId);
    const { messages: known, digests, callIds } = yield* this.#known.digest(messages);
    // No spread: each object that a spread creates has its own hidden class of 300 bytes.
    const prepared = {
      messages: known,
      digests,
      callIds,
      toolsKey,
      toolsBytes,
      tools,
      loadedTools,
      templateArgs,
      previous,
      findings: new RequestFindings(),
    };
    if (!known.some(({ hasUnknownReasoning }) => hasUnknownReasoning)) return prepared;
    return { ...prepared, messages: restoreReasoning(known, this.#parents.listContinued(prepared)) };
  }

  /** Returns the parent of a request; undefined if it starts a new conversation. */
  findParent(prepared: PreparedMessages): ParentMatch | undefined {
    return this.#parents.find(prepared);
  }

  /** Returns the recorded answer to which the client has added text, if the request continues it. */
  findExtended(prepared: PreparedMessages): ExtendedAnswer | undefined {
    return this.#parents.findExtended(prepared);
  }

  /** Returns true if a request continues the newest call, except that its system messages at the start differ. */
  changesSystem(prepared: PreparedMessages): boolean {
    return this.#parents.changesSystem(prepared);
  }

  interaction(index: number): Interaction {
    return this.#log.at(index);
  }

  /** Returns the interaction with this id; undefined if there is none or it was freed. */
  find(id: string): Interaction | undefined {
    return this.#log.has(id) ? this.#log.require(id) : undefined;
  }

  /** Returns the number of tokens of an interaction, input and output together. */
  sequenceLength(index: number): number {
    const { promptTokens, completionTokens } = this.#native.interaction(index);
    return promptTokens + completionTokens;
  }

  /** Returns a copy of the tokens of an interaction, input and output together. */
  readSequence(index: number): Int32Array {
    const prompt = this.#native.prompt([], index);
    try {
      return prompt.tokens();
    } finally {
      prompt.release();
    }
  }

  /** @throws SessionError if the tokens were already freed by an export or by expiry */
  requireTokens(): void {
    if (!this.lifecycle.freed) return;
    const state = this.state === "expired" ? "expired" : "exported";
    throw new SessionError(`session_${state}`, `Session ${this.id} is ${state} and its tokens are freed.`);
  }

  /** Builds a prompt from `pieces`, appended to the full sequence of interaction `base` if given. */
  prompt(pieces: readonly Int32Array[], base?: number): NativePrompt {
    return this.#native.prompt(pieces, base);
  }

  /**
   * Builds a prompt from `pieces`, the whole prompt of a request. Tokens that it has in common with the request's parent are not
   * copied.
   */
  renderedPrompt(pieces: readonly Int32Array[], prepared: PreparedMessages): NativePrompt {
    const parent = this.findParent(prepared);
    return parent ? this.#native.promptSharing(pieces, parent.index) : this.#native.prompt(pieces);
  }

  /**
   * Returns how much a call with this prompt would add to the session, without its output. The tokens that it shares with its parent
   * are compared, because templates may render earlier messages differently, for example without their reasoning.
   *
   * @param parent the parent whose tokens the prompt continues; undefined if the whole prompt was rendered
   */
  measureGrowth(prepared: PreparedMessages, prompt: NativePrompt, parent?: ParentMatch): PromptGrowth {
    const match = parent ?? this.findParent(prepared);
    const tokens = prompt.length - (match ? this.#native.sharedLength(prompt, match.index) : 0);
    return {
      tokens,
      bytes: TOKEN_BYTES * tokens + readOwnPart(this.#log, prepared, match).bytes + this.#newToolsBytes(prepared),
      parent: match?.index,
    };
  }

  /** Counts memory that other objects keep for this session until its data is freed. */
  keepBytes(bytes: number): void {
    this.#size.addObjects(bytes);
  }

  /** Adds a completed call to the tree and returns its interaction. */
  record(call: CompletedCall): Interaction {
    this.#requireOpen("session_ended", "records no more calls");
    this.#requireNewId(call.id);
    const match = call.parent ?? this.findParent(call.prepared);
    const { inherited, input, templateArgs, bytes } = readOwnPart(this.#log, call.prepared, match);
    this.#known.share(call.prepared, inherited);
    const outputTokens = call.generation.length;
    const lastTokenId = outputTokens > 0 ? call.generation.ids(outputTokens - 1)[0] : undefined;
    const { output } = call;
    const facts = pickCallFacts(call, Date.now());
    // Only recording the tokens shows whether the prompt continues its parent's tokens, so the cause is determined in advance.
    const cause = call.fallback ?? (match && findBrokenPrefixCause(call.prepared, match, this.#log.at(match.index)));
    const compactedFrom = this.#findCompacted(call.prepared, match, input);
    const { index, parent, tokenExact, sharedTokens } = this.#recordTokens(call, match, compactedFrom, facts, cause);
    const newTools = this.#newToolsBytes(call.prepared);
    const interaction = createInteraction(facts, {
      index,
      id: call.id ?? `interaction-${randomUUID()}`,
      parent,
      compactedFrom,
      undeclaredCalls: listUndeclaredCalls(output, call.prepared),
      tokenExact,
      input,
      output,
      lastTokenId,
      fallback: tokenExact ? call.fallback : cause,
      toolsKey: call.prepared.toolsKey,
      toolsBytes: newTools === 0 ? undefined : newTools,
      templateArgs,
    });
    this.#log.add(interaction);
    // The client repeats the answer, so it has received it.
    if (compactedFrom !== undefined) this.delivery.referTo(compactedFrom);
    this.#parents.add(interaction);
    const promptTokens = call.prompt.length;
    this.#promptTokens += promptTokens;
    this.#completionTokens += outputTokens;
    const objectBytes = bytes + measureMessages(output);
    this.#size.addCall(promptTokens - sharedTokens + outputTokens, objectBytes);
    this.#size.addShared(newTools);
    const tools = this.#tools.add(call.prepared.toolsKey, call.prepared.tools ?? []);
    this.touch();
    this.#storeInteraction(interaction, objectBytes, call.request, tools);
    return interaction;
  }

  /** Sets the reward of one interaction. Default: the one that completed last. Returns its id. */
  setReward(reward: number, interactionId?: string): string {
    const { id, index } = interactionId === undefined ? this.#log.requireNewest() : this.#log.require(interactionId);
    this.#requireRewardable(reward);
    const { ownReward } = this.#native.interaction(index);
    this.#native.setReward(index, reward);
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
    this.#log.requireNewest();
    this.#requireRewardable(reward);
    this.#native.setSessionReward(reward);
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
   * Ends the session. Calls in flight go on. Returns the number of interactions at that time, also if the session had
   * ended before.
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
    this.#size.free();
    this.#native.release();
    this.#log.clear();
    this.#compactions.clear();
    this.#parents.clear();
    this.#known.clear();
    this.#tools.clear();
    this.delivery.clear();
    this.#chosenLeftOut = undefined;
    this.#journal?.freed(this.interactionCount);
  }

  /** Begins an export: until it ends, calls and rewards are refused. */
  beginExport(): void {
    this.lifecycle.beginExport();
  }

  /** Ends an export that {@link beginExport} began. */
  endExport(outcome: ExportOutcome): void {
    if (outcome !== "left" && this.#chosenLeftOut) this.#choiceIsFinal = true;
    this.lifecycle.endExport(outcome);
    // No export was settled, so the next one decides anew.
    if (!this.lifecycle.exporting && !this.#choiceIsFinal) this.#chosenLeftOut = undefined;
  }

  /**
   * Returns all interactions that an export leaves out, by ascending index. The first export decides for all later ones: its repeats
   * have the same rows, and its shards together have every row, even if an answer reaches its client or is lost in between.
   */
  chooseLeftOut(): readonly LeftOutInteraction[] {
    const leftOut = this.leftOutInteractions();
    if (this.lifecycle.exporting) this.#chosenLeftOut ??= byIndex(leftOut);
    return leftOut;
  }

  /** Returns why batches leave an interaction out by default; undefined if they include it. May change until {@link chooseLeftOut}. */
  leftOut(index: number): LeftOutReason | undefined {
    return this.#chosenLeftOut ? this.#chosenLeftOut.get(index)?.reason : this.delivery.leftOut(index);
  }

  /** Returns all interactions that are left out, by ascending index. May change until {@link chooseLeftOut}. */
  leftOutInteractions(): readonly LeftOutInteraction[] {
    return this.#chosenLeftOut ? [...this.#chosenLeftOut.values()] : this.delivery.allLeftOut();
  }

  /** Returns the input messages of an interaction, exactly as its request spelled them. */
  readMessages(interaction: Interaction): Message[] {
    return this.#log.readMessages(interaction);
  }

  /** Returns the JSON of the tools of an interaction; undefined if it had none or they were not recorded. */
  readTools({ toolsKey }: Interaction): string | undefined {
    return toolsKey === "" ? undefined : this.#tools.read(toolsKey);
  }

  /**
   * Returns an interaction as the journal received it, but without its request, which only retries need. The session must have ended.
   */
  toStored(index: number): StoredInteraction {
    const interaction = this.#log.at(index);
    return this.#toStored(interaction, measureInteraction(interaction), undefined);
  }

  /** Returns the outcome of an interaction. An answer that is still being sent counts as answered, as it does in an export. */
  readOutcome(index: number): Outcome {
    return {
      reward: this.#native.interaction(index).ownReward,
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

  #requireNewId(id: string | undefined): void {
    if (id === undefined || !this.#log.has(id)) return;
    const message = `interactionId must be new in session ${this.id}; received "${id}", which it already has.`;
    throw new SessionError("invalid_value", message, { param: "interactionId" });
  }

  #requireRewardable(reward: number): void {
    if (!(Math.abs(reward) <= MAX_REWARD)) {
      const message = `reward must be a finite number that fits a float32; received ${reward}.`;
      throw new SessionError("invalid_value", message, { param: "reward" });
    }
    this.#requireOpen("session_exported", "its rewards are final");
  }

  /**
   * Returns the interaction that a call's conversation was compacted from. The choices of a call are recorded together, so it is
   * searched for once: the search reads up to 131,072 characters.
   */
  #findCompacted(prepared: PreparedMessages, match: ParentMatch | undefined, input: InputMessages): number | undefined {
    const { findings } = prepared;
    findings.compaction ??= { from: this.#searchCompacted(prepared, match, input) };
    return findings.compaction.from;
  }

  /** A call that continues an answer begins no conversation. */
  #searchCompacted(
    { messages }: PreparedMessages,
    match: ParentMatch | undefined,
    { added }: InputMessages,
  ): number | undefined {
    if (!match) return this.#compactions.find(messages);
    if (match.rule === "continuation") return undefined;
    const found = this.#compactions.findSummary(added);
    return found !== undefined && found > match.index ? found : undefined;
  }

  /** Adds a completed call to the native session. */
  #recordTokens(
    call: CompletedCall,
    match: ParentMatch | undefined,
    compactedFrom: number | undefined,
    facts: RecordedCall,
    cause: string | undefined,
  ): RecordResult {
    const { digests, callIds } = call.prepared;
    return this.#native.record({
      prompt: call.prompt,
      generation: call.generation,
      digests,
      output: canonicalMessages(call.output, this.#filters),
      parent: match?.index ?? -1,
      compactedFrom,
      facts: encodeFacts(facts),
      labels: encodeLabels(facts, cause),
      startsRow: cause === "tools_changed",
      callIds: digestRecordedCallIds(callIds, call.output, this.#digestKey),
    });
  }

  /** Stores a recorded interaction, if sessions are stored. Its answer is still to be sent. */
  #storeInteraction(
    recorded: Interaction,
    objectBytes: number,
    request: string | undefined,
    tools: ToolList | undefined,
  ): void {
    if (!this.#journal) return;
    const { index } = recorded;
    this.delivery.awaitAnswer(index);
    this.#dataChanges++;
    this.#journal.recorded(index, this.#toStored(recorded, objectBytes, request), tools);
  }

  #toStored(recorded: Interaction, objectBytes: number, request: string | undefined): StoredInteraction {
    const { index, parent, tokenExact: _, templateArgs, input, output, ...facts } = recorded;
    const ofParent = parent < 0 ? undefined : this.#log.at(parent).templateArgs;
    return {
      native: this.#native.serialize(index),
      facts,
      messages: () => ({ input, output }),
      objectBytes,
      templateArgs: templateArgs !== undefined && templateArgs === ofParent ? "parent" : templateArgs,
      request,
    };
  }

  /** Takes over a native session that has the tokens of all stored interactions. Throws if a reward is damaged. */
  #adopt(stored: StoredSession, restored: NativeSession, tree: RestoredTree): void {
    this.#native.release();
    this.#native = restored;
    try {
      this.#addStored(stored, tree);
      this.#isLoaded = true;
    } catch (error) {
      this.#clearData();
      throw error;
    }
  }

  #addStored({ interactions, outcomes }: StoredSession, tree: RestoredTree): void {
    interactions.forEach((stored, index) => {
      const interaction = this.#toInteraction(stored, index, tree);
      this.#log.add(interaction);
      this.#parents.add(interaction);
    });
    this.#restoreRewards(outcomes);
    this.delivery.restore(
      outcomes.map((outcome, i) => ({
        ...outcome,
        request: interactions[i]?.request,
        retryCount: interactions[i]?.facts.attempt ?? 0,
      })),
    );
    this.#size.addObjects(interactions.reduce((sum, { objectBytes }) => sum + objectBytes, 0));
    this.#size.addShared(interactions.reduce((sum, { facts }) => sum + (facts.toolsBytes ?? 0), 0));
  }

  #clearData(): void {
    this.#size.unload();
    this.#native.release();
    this.#native = new native.Session(this.#digestKey);
    this.#log.clear();
    this.#compactions.clear();
    this.#parents.clear();
    this.#known.clear();
    this.#tools.clear();
    this.delivery.unload();
  }

  #restoreRewards(outcomes: StoredSession["outcomes"]): void {
    outcomes.forEach(({ reward }, index) => {
      if (reward !== undefined) this.#native.setReward(index, reward);
    });
    if (this.#sessionReward !== undefined) this.#native.setSessionReward(this.#sessionReward);
  }

  #toInteraction(stored: StoredInteraction, index: number, { parents, tokenExact }: RestoredTree): Interaction {
    const { facts, messages, templateArgs } = stored;
    const parent = parents[index] ?? -1;
    return {
      index,
      parent,
      tokenExact: tokenExact[index] === 1,
      ...facts,
      templateArgs: templateArgs === "parent" ? this.#log.at(parent).templateArgs : templateArgs,
      get input() {
        return messages().input;
      },
      get output() {
        return messages().output;
      },
    };
  }

  /** Stores the outcome of an interaction, which changed. */
  #storeOutcome(index: number): void {
    if (!this.#journal) return;
    this.#dataChanges++;
    this.#journal.outcomeChanged(index, {
      // Most sessions get their rewards at their end. Until then, asking native memory after each answer costs more than the rest.
      reward: this.#rewards === 0 ? undefined : this.#native.interaction(index).ownReward,
      answered: this.delivery.wasAnswered(index),
      repeatedBy: this.delivery.attempts.repeatedBy(index),
      referenced: this.delivery.wasReferenced(index),
    });
  }

  /** Returns the size of a call's tools if no earlier call of the session had them; otherwise 0. */
  #newToolsBytes({ toolsKey, toolsBytes }: PreparedMessages): number {
    return toolsKey === "" || this.#log.hasTools(toolsKey) ? 0 : toolsBytes;
  }
}

/** Returns the memory of an interaction's objects in bytes, with template arguments even if it shares them with its parent. */
function measureInteraction({ input, output, templateArgs }: Interaction): number {
  return measureRequest([...input.respelled.values(), ...input.added], templateArgs) + measureMessages(output);
}

/** Shared, because almost every session leaves out no interaction. */
const NONE_LEFT_OUT: ReadonlyMap<number, LeftOutInteraction> = new Map();

function byIndex(leftOut: readonly LeftOutInteraction[]): ReadonlyMap<number, LeftOutInteraction> {
  return leftOut.length === 0 ? NONE_LEFT_OUT : new Map(leftOut.map((each) => [each.index, each]));
}

/** Returns the arguments of `restore`. */
function listParts({ interactions }: StoredSession): [parts: Uint8Array[], compactedFrom: Int32Array] {
  return [
    interactions.map((stored) => stored.native),
    Int32Array.from(interactions, ({ facts }) => facts.compactedFrom ?? -1),
  ];
}
