import { randomUUID } from "node:crypto";
import { canonicalMessages } from "../conversation/canonical.js";
import type { Conversation, Message } from "../conversation/message.js";
import { sameTemplateArgs, type TemplateArgs } from "../conversation/template-args.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import { native } from "../native/addon.js";
import type { NativePrompt, NativeSession, ParentMatch } from "../native/contract.js";
import { keepSpelling } from "../support/json/spelled.js";
import { findBrokenPrefixCause } from "./broken-prefix.js";
import { digestRecordedCallIds } from "./call-ids.js";
import { CallsInFlight } from "./calls-in-flight.js";
import { continuesExceptSystem, isSameConversation } from "./compare-conversations.js";
import type { CompletedCall, PreparedMessages } from "./completed-call.js";
import { Delivery, type LeftOutInteraction, type LeftOutReason } from "./delivery.js";
import { encodeFacts, encodeLabels } from "./encode-facts.js";
import { SessionError } from "./errors.js";
import { type Interaction, inputLength } from "./interaction.js";
import { InteractionLog } from "./interaction-log.js";
import { KnownMessages } from "./known-messages.js";
import { Lifecycle, type SessionState } from "./lifecycle.js";
import { pickCallFacts } from "./pick-call-facts.js";
import type { SessionEvents, SessionOutcome } from "./session-events.js";
import { hashText } from "./session-keys.js";
import {
  type ByteTally,
  measureJson,
  measureMessages,
  type SessionGrowth,
  SessionSize,
  TOKEN_BYTES,
} from "./session-size.js";

export interface SessionOptions {
  readonly id: string;
  readonly taskId: string;
  readonly groupId?: string | undefined;
  /** Text that matches is ignored when searching for a parent interaction. */
  readonly messageFilters?: readonly MessageFilter[];
  /** Receives an event when the session is over and when a reward is set. */
  readonly events?: SessionEvents;
  /** Sum of the memory of all sessions, which this session updates. */
  readonly tally?: ByteTally;
}

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
  readonly createdAt = Date.now();
  readonly lifecycle = new Lifecycle();
  /** Calls that exports aborted because they did not end in time. */
  incompleteCalls = 0;
  /** Calls whose client disconnected before they were recorded. */
  abortedCalls = 0;
  lastAccessAt = this.createdAt;

  readonly #filters: readonly MessageFilter[];
  readonly #events: SessionEvents | undefined;
  readonly #known: KnownMessages;
  readonly #native: NativeSession = new native.Session();
  readonly delivery = new Delivery((index) => this.#native.interaction(index));
  readonly calls = new CallsInFlight(this.delivery.attempts);
  readonly #log: InteractionLog;
  readonly #size: SessionSize;
  #rewards = 0;
  #sessionReward: number | undefined;
  #countAtEnd = 0;
  #promptTokens = 0;
  #completionTokens = 0;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.taskId = options.taskId;
    this.groupId = options.groupId;
    this.#filters = options.messageFilters ?? [];
    this.#events = options.events;
    this.#known = new KnownMessages(this.#filters);
    this.#log = new InteractionLog(options.id);
    this.#size = new SessionSize(() => this.#native.byteLength, options.tally ?? { bytes: 0 });
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

  /** For planning an export. */
  get tokens(): NativeSession {
    return this.#native;
  }

  touch(): void {
    this.lastAccessAt = Date.now();
  }

  /** @param previousId id of the interaction that the request names as its predecessor */
  prepare({ messages, tools = [], templateArgs }: Conversation, previousId?: string): PreparedMessages {
    const toolsKey = tools.length > 0 ? hashText(JSON.stringify(tools, keepSpelling)) : "";
    const previous = previousId === undefined ? undefined : this.find(previousId);
    return { ...this.#known.digest(messages), toolsKey, templateArgs, previous };
  }

  /**
   * Returns the parent of a request. If several interactions differ in their tokens only, it is the one that the
   * request names.
   */
  findParent({ digests, callIds, previous }: PreparedMessages): ParentMatch | undefined {
    const match = this.#native.findParent(digests, callIds);
    if (match?.rule !== "continuation" || !previous || previous.index === match.index) return match;
    const sameMessages = this.#isTwin(this.#log.at(match.index), previous);
    return sameMessages ? { ...match, index: previous.index } : match;
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
   * Estimates how much a call with this prompt would add to the session. The estimate is too low if the prompt has the messages of
   * its parent but not its tokens: only `record` compares tokens.
   *
   * @param match the parent, if it was found already
   */
  estimateGrowth(prepared: PreparedMessages, promptTokens: number, match = this.findParent(prepared)): SessionGrowth {
    const known = match ? this.#countKnown(match) : { tokens: 0, messages: 0 };
    const tokens = Math.max(0, promptTokens - known.tokens);
    return { tokens, bytes: TOKEN_BYTES * tokens + measureMessages(prepared.messages.slice(known.messages)) };
  }

  /** Counts memory that other objects keep for this session until its data is freed. */
  keepBytes(bytes: number): void {
    this.#size.addObjects(bytes);
  }

  /** Adds a completed call to the tree and returns its interaction. */
  record(call: CompletedCall): Interaction {
    this.#requireOpen("session_ended", "records no more calls");
    if (call.id !== undefined && this.#log.has(call.id)) {
      const message = `Session ${this.id} already has an interaction "${call.id}".`;
      throw new SessionError("invalid_value", message, { param: "interactionId" });
    }
    const { messages, digests, callIds, toolsKey } = call.prepared;
    const match = call.parent ?? this.findParent(call.prepared);
    const input = this.#log.diff(messages, match);
    const outputTokens = call.generation.length;
    const lastTokenId = outputTokens > 0 ? call.generation.ids(outputTokens - 1)[0] : undefined;
    const { api, finishReason, output } = call;
    const facts = { api, finishReason, createdAt: Date.now(), ...pickCallFacts(call) };
    // Only `record` below finds out whether the prompt continues its parent's tokens, so the cause is determined in
    // advance.
    const cause = call.fallback ?? (match && findBrokenPrefixCause(call.prepared, match, this.#log.at(match.index)));
    const { index, parent, tokenExact, sharedTokens } = this.#native.record({
      prompt: call.prompt,
      generation: call.generation,
      digests,
      output: canonicalMessages(call.output, this.#filters),
      parent: match?.index ?? -1,
      facts: encodeFacts(facts),
      labels: encodeLabels({ ...facts, cause }),
      startsRow: cause === "tools_changed",
      ...digestRecordedCallIds(callIds, output),
    });
    call.prompt.release();
    const id = call.id ?? `interaction-${randomUUID()}`;
    const tree = { index, parent, tokenExact };
    const templateArgs = this.#reuseTemplateArgs(call.prepared.templateArgs, match);
    const context = { input, output, toolsKey, templateArgs, fallback: tokenExact ? call.fallback : cause };
    const interaction = { ...tree, id, ...facts, lastTokenId, ...context };
    this.#log.add(interaction);
    this.#promptTokens += call.prompt.length;
    this.#completionTokens += outputTokens;
    const ownMessages = [...input.respelled.values(), ...input.added, ...output];
    this.#size.addCall(call.prompt.length - sharedTokens + outputTokens, ownMessages);
    if (templateArgs && templateArgs === call.prepared.templateArgs) this.keepBytes(measureJson(templateArgs));
    this.touch();
    return interaction;
  }

  /** Sets the reward of one interaction. Default: the one that completed last. Returns its id. */
  setReward(reward: number, interactionId?: string): string {
    const { id, index } = interactionId === undefined ? this.#log.requireNewest() : this.#log.require(interactionId);
    this.#requireRewardable(reward);
    const { ownReward } = this.#native.interaction(index);
    this.#native.setReward(index, reward);
    if (ownReward === undefined) this.#rewards++;
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
  }

  /**
   * Ends the session. Calls in flight go on. Returns the number of interactions at that time, also if the session had
   * ended before.
   */
  end(outcome: SessionOutcome = "ended"): number {
    if (this.lifecycle.end()) {
      this.#countAtEnd = this.interactionCount;
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
    this.#known.clear();
    this.delivery.clear();
  }

  /**
   * Returns why batches leave an interaction out by default; undefined if they include it. The answer may change later.
   */
  leftOut(index: number): LeftOutReason | undefined {
    return this.delivery.leftOut(index);
  }

  /** Returns all interactions that are left out, by ascending index. See {@link Delivery.allLeftOut}. */
  leftOutInteractions(): LeftOutInteraction[] {
    return this.delivery.allLeftOut();
  }

  /** Returns the input messages of an interaction, exactly as its request spelled them. */
  readMessages(interaction: Interaction): Message[] {
    return this.#log.readMessages(interaction);
  }

  /** Returns true if a request continues the newest call, except that its system messages at the start differ. */
  changesSystem({ messages }: PreparedMessages): boolean {
    const newest = this.#log.newest;
    return newest !== undefined && continuesExceptSystem(this.readMessages(newest), messages, this.#filters);
  }

  /** Returns how many tokens and messages a request shares with the interaction that it continues. */
  #countKnown({ index, rule }: ParentMatch): { readonly tokens: number; readonly messages: number } {
    const interaction = this.#log.at(index);
    if (rule === "messages") {
      return { tokens: this.#native.interaction(index).promptTokens, messages: inputLength(interaction) };
    }
    return { tokens: this.sequenceLength(index), messages: inputLength(interaction) + interaction.output.length };
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

  /** Returns true if two interactions have the same messages and answers, as the search for a parent compares them. */
  #isTwin(one: Interaction, other: Interaction): boolean {
    if (inputLength(one) !== inputLength(other)) return false;
    const read = (interaction: Interaction) => [...this.readMessages(interaction), ...interaction.output];
    return isSameConversation(read(one), read(other), this.#filters);
  }

  /** Returns the parent's object if the arguments are equal, so that a long conversation keeps only one of them. */
  #reuseTemplateArgs(args: TemplateArgs | undefined, match: ParentMatch | undefined): TemplateArgs | undefined {
    const ofParent = match && this.#log.at(match.index).templateArgs;
    return sameTemplateArgs(args, ofParent) ? ofParent : args;
  }
}
