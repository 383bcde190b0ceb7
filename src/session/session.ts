import { randomUUID } from "node:crypto";
import { canonicalMessages } from "../conversation/canonical.js";
import type { Conversation, Message } from "../conversation/message.js";
import { sameTemplateArgs, type TemplateArgs } from "../conversation/template-args.js";
import { native } from "../native/addon.js";
import type { NativeGeneration, NativePrompt, NativeSession, ParentMatch } from "../native/contract.js";
import { keepSpelling } from "../support/json/spelled.js";
import { brokenPrefixCause } from "./broken-prefix.js";
import { callFacts } from "./call-facts.js";
import { recordedCallIds } from "./call-ids.js";
import { CallTracker } from "./calls.js";
import { Delivery, type LeftOutInteraction, type LeftOutReason } from "./delivery.js";
import { SessionError } from "./errors.js";
import { type Api, type CallFacts, type Interaction, inputLength } from "./interaction.js";
import { InteractionLog } from "./interaction-log.js";
import { hashKey } from "./keys.js";
import { type DigestedMessages, KnownMessages } from "./known-messages.js";
import { Lifecycle, type SessionState } from "./lifecycle.js";
import { encodeFacts, encodeLabels } from "./recorded-facts.js";
import type { SessionEvents, SessionOutcome } from "./session-events.js";

export interface SessionOptions {
  readonly id: string;
  readonly taskId: string;
  readonly groupId?: string | undefined;
  /** Text that matches is not compared when a parent is looked for. */
  readonly messageFilters?: readonly RegExp[];
  /** Told when the session is over and when rewards are set. */
  readonly events?: SessionEvents;
}

/** The messages of a call, prepared for the search of a parent. */
export interface PreparedMessages extends DigestedMessages {
  readonly toolsKey: string;
  readonly templateArgs: TemplateArgs | undefined;
  /** The interaction that the request names as the one it goes on from. */
  readonly previous: Interaction | undefined;
}

/** A model call that is done and becomes an interaction. */
export interface CompletedCall extends CallFacts {
  readonly prepared: PreparedMessages;
  readonly output: readonly Message[];
  /** Released by the recording, like the generation. */
  readonly prompt: NativePrompt;
  readonly generation: NativeGeneration;
  readonly finishReason: string;
  readonly api: Api;
  readonly id?: string | undefined;
  /** The parent that the prompt was built on. Absent: found among the interactions that are complete now. */
  readonly parent?: ParentMatch | undefined;
  /** Why the prompt was not built on its parent's tokens, in `concat`. Absent: found out if it does not continue them. */
  readonly fallback?: string | undefined;
}

/** The greatest finite float32, in which rewards are exported. */
const MAX_REWARD = 3.4028234663852886e38;

/** One rollout: a tree of recorded model calls, their rewards, and the state that says who may do what. */
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

  readonly #filters: readonly RegExp[];
  readonly #events: SessionEvents | undefined;
  readonly #known: KnownMessages;
  readonly #native: NativeSession = new native.Session();
  readonly delivery = new Delivery((index) => this.#native.interaction(index));
  readonly calls = new CallTracker(this.delivery.attempts);
  readonly #log: InteractionLog;
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
  }

  get state(): SessionState {
    return this.lifecycle.state;
  }

  /** Recorded interactions, those that are left out of batches included. */
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

  /** No interaction has a reward, and the session has none. */
  get rewardsMissing(): boolean {
    return this.#rewards === 0 && this.#sessionReward === undefined;
  }

  /** The reward of the session as a whole, which all of its trees share. */
  get sessionReward(): number | undefined {
    return this.#sessionReward;
  }

  /** Native memory that this session holds, in bytes. */
  get byteLength(): number {
    return this.lifecycle.freed ? 0 : this.#native.byteLength;
  }

  /** For planning an export. */
  get tokens(): NativeSession {
    return this.#native;
  }

  touch(): void {
    this.lastAccessAt = Date.now();
  }

  /** @param previousId the interaction that the request names as the one it goes on from */
  prepare({ messages, tools = [], templateArgs }: Conversation, previousId?: string): PreparedMessages {
    const toolsKey = tools.length > 0 ? hashKey(JSON.stringify(tools, keepSpelling)) : "";
    const previous = previousId === undefined ? undefined : this.find(previousId);
    return { ...this.#known.digest(messages), toolsKey, templateArgs, previous };
  }

  /** Of interactions that are the same but for their tokens, the one that the request names is the parent. */
  findParent({ digests, callIds, previous }: PreparedMessages): ParentMatch | undefined {
    const match = this.#native.findParent(digests, callIds);
    if (match?.rule !== "continuation" || !previous || previous.index === match.index) return match;
    const sameMessages = this.#isTwin(this.#log.at(match.index), previous);
    return sameMessages ? { ...match, index: previous.index } : match;
  }

  interaction(index: number): Interaction {
    return this.#log.at(index);
  }

  /** The interaction with this id; undefined where there is none, or none any more. */
  find(id: string): Interaction | undefined {
    return this.#log.has(id) ? this.#log.named(id) : undefined;
  }

  /** Tokens of an interaction, input and output together. */
  sequenceLength(index: number): number {
    const { promptTokens, completionTokens } = this.#native.interaction(index);
    return promptTokens + completionTokens;
  }

  /** Throws where they are freed: who does not hold the session by a call may come too late. */
  requireTokens(): void {
    if (!this.lifecycle.freed) return;
    const state = this.state === "expired" ? "expired" : "exported";
    throw new SessionError(`session_${state}`, `Session ${this.id} is ${state}: its tokens are freed.`);
  }

  /** A prompt of these pieces, behind the whole sequence of interaction `base` where one is given. */
  prompt(pieces: readonly Int32Array[], base?: number): NativePrompt {
    return this.#native.prompt(pieces, base);
  }

  /** Adds a completed call to the tree and answers its interaction. */
  record(call: CompletedCall): Interaction {
    this.#requireOpen("session_ended", "records no more calls");
    if (call.id !== undefined && this.#log.has(call.id)) {
      const message = `Session ${this.id} has an interaction "${call.id}" already.`;
      throw new SessionError("invalid_value", message, { param: "interactionId" });
    }
    const { messages, digests, callIds, toolsKey } = call.prepared;
    const match = call.parent ?? this.findParent(call.prepared);
    const input = this.#log.difference(messages, match);
    const outputTokens = call.generation.length;
    const lastTokenId = outputTokens > 0 ? call.generation.ids(outputTokens - 1)[0] : undefined;
    const { api, finishReason, output } = call;
    const made = { api, finishReason, createdAt: Date.now(), ...callFacts(call) };
    // Whether the prompt continues its parent's tokens is found out by recording it.
    const cause = call.fallback ?? (match && brokenPrefixCause(call.prepared, match, this.#log.at(match.index)));
    const { index, parent, tokenExact } = this.#native.record({
      prompt: call.prompt,
      generation: call.generation,
      digests,
      output: canonicalMessages(call.output, this.#filters),
      parent: match?.index ?? -1,
      facts: encodeFacts(made),
      labels: encodeLabels({ ...made, cause }),
      startsRow: cause === "tools_changed",
      ...recordedCallIds(callIds, output),
    });
    call.prompt.release();
    const id = call.id ?? `interaction-${randomUUID()}`;
    const tree = { index, parent, tokenExact };
    const templateArgs = this.#shared(call.prepared.templateArgs, match);
    const context = { input, output, toolsKey, templateArgs, fallback: tokenExact ? call.fallback : cause };
    const interaction = { ...tree, id, ...made, lastTokenId, ...context };
    this.#log.add(interaction);
    this.#promptTokens += call.prompt.length;
    this.#completionTokens += outputTokens;
    this.touch();
    return interaction;
  }

  /** Sets the reward of one interaction, of the last completed one where none is named. Answers its id. */
  setReward(reward: number, interactionId?: string): string {
    const { id, index } = interactionId === undefined ? this.#log.last() : this.#log.named(interactionId);
    this.#requireRewardable(reward);
    const { ownReward } = this.#native.interaction(index);
    this.#native.setReward(index, reward);
    if (ownReward === undefined) this.#rewards++;
    if (ownReward !== reward) this.#events?.emit("reward", reward, "interaction");
    return id;
  }

  /**
   * Sets the reward of the session as a whole, beside own rewards: every interaction shares it, discounted by the edges down
   * to its descendant leaf that completed last.
   */
  setSessionReward(reward: number): void {
    this.#log.last();
    this.#requireRewardable(reward);
    this.#native.setSessionReward(reward);
    if (this.#sessionReward !== reward) this.#events?.emit("reward", reward, "session");
    this.#sessionReward = reward;
  }

  /** Ends the session; calls in flight go on. Answers how many interactions it had then, the same every time. */
  end(outcome: SessionOutcome = "ended"): number {
    if (this.lifecycle.end()) {
      this.#countAtEnd = this.interactionCount;
      this.#events?.emit("over", this, outcome);
    }
    return this.#countAtEnd;
  }

  /** Frees tokens and messages. The record of the session stays, with its counts. */
  free(state: "expired" | "exported"): void {
    if (this.state === "active") this.#events?.emit("over", this, "expired");
    this.lifecycle.free(state);
    this.#native.release();
    this.#log.clear();
    this.#known.clear();
    this.delivery.clear();
  }

  /** Returns why batches leave an interaction out by default, as far as is known now; undefined if they do not. */
  leftOut(index: number): LeftOutReason | undefined {
    return this.delivery.leftOut(index);
  }

  /** Returns all interactions that are left out, by ascending index. See {@link Delivery.allLeftOut}. */
  leftOutInteractions(): LeftOutInteraction[] {
    return this.delivery.allLeftOut();
  }

  /** Input messages of an interaction, exactly as its request spelled them. */
  messagesOf(interaction: Interaction): Message[] {
    return this.#log.messagesOf(interaction);
  }

  /** Whether a request goes on from the newest call but for the system messages at the start. */
  changesSystem({ messages }: PreparedMessages): boolean {
    const newest = this.#log.newest;
    if (!newest) return false;
    const before = canonicalMessages(withoutSystem(this.messagesOf(newest)), this.#filters);
    const now = canonicalMessages(withoutSystem(messages), this.#filters);
    return before.length > 0 && before.length < now.length && before.every((message, i) => message === now[i]);
  }

  #requireOpen(code: "session_ended" | "session_exported", consequence: string): void {
    if (this.lifecycle.exporting) {
      throw new SessionError("session_exporting", `Session ${this.id} is being exported. Try again in a second.`);
    }
    if (this.state === "exported" || this.state === "expired") {
      throw new SessionError(code, `Session ${this.id} is ${this.state}: ${consequence}.`);
    }
  }

  #requireRewardable(reward: number): void {
    if (!(Math.abs(reward) <= MAX_REWARD)) {
      throw new SessionError("invalid_value", "reward must be a finite number that fits a float32.", {
        param: "reward",
      });
    }
    this.#requireOpen("session_exported", "its rewards are final");
  }

  /** Whether two interactions have the same messages, their answers included, as the search of a parent compares them. */
  #isTwin(one: Interaction, other: Interaction): boolean {
    if (inputLength(one) !== inputLength(other)) return false;
    const [a, b] = [one, other].map((each) =>
      canonicalMessages([...this.messagesOf(each), ...each.output], this.#filters),
    );
    return a !== undefined && a.length === b?.length && a.every((message, i) => message === b[i]);
  }

  /** The parent's own, where they are the same: a long conversation keeps one of them. */
  #shared(args: TemplateArgs | undefined, match: ParentMatch | undefined): TemplateArgs | undefined {
    const ofParent = match && this.#log.at(match.index).templateArgs;
    return sameTemplateArgs(args, ofParent) ? ofParent : args;
  }
}

function withoutSystem(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return first < 0 ? [] : messages.slice(first);
}
