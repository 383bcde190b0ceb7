import { randomUUID } from "node:crypto";
import { canonicalMessages } from "../conversation/canonical.js";
import type { Message, Tool } from "../conversation/message.js";
import { native } from "../native/addon.js";
import type { NativeGeneration, NativePrompt, NativeSession, ParentMatch } from "../native/contract.js";
import { CallTracker } from "./calls.js";
import { SessionError } from "./errors.js";
import { type Api, type Interaction, inputMessages, messageCount } from "./interaction.js";
import { hashKey } from "./keys.js";

/**
 * `active`: takes model calls. `ended`: takes rewards, waits for its export. `exported`: its key is revoked, its data is
 * kept for another export until retention ends. `expired`: saw no call for too long, its data is freed.
 */
export type SessionState = "active" | "ended" | "exported" | "expired";

export interface SessionOptions {
  readonly id: string;
  readonly taskId: string;
  readonly groupId?: string | undefined;
  /** Text that matches is not compared when a parent is looked for. */
  readonly messageFilters?: readonly RegExp[];
}

/** The messages of a call, prepared for the search of a parent. */
export interface PreparedMessages {
  readonly messages: readonly Message[];
  readonly digests: Uint8Array;
  readonly toolsKey: string;
}

/** A model call that is done and becomes an interaction. */
export interface CompletedCall {
  readonly prepared: PreparedMessages;
  readonly output: readonly Message[];
  readonly prompt: NativePrompt;
  /** Consumed by the recording. */
  readonly generation: NativeGeneration;
  readonly finishReason: string;
  readonly api: Api;
  readonly id?: string | undefined;
  /** The parent that the prompt was built on. Absent: found among the interactions that are complete now. */
  readonly parent?: ParentMatch | undefined;
  /** An earlier attempt at the same request was recorded and is dropped. */
  readonly replacesEarlier?: boolean;
}

/** One rollout: a tree of recorded model calls, their rewards, and the state that says who may do what. */
export class Session {
  readonly id: string;
  readonly taskId: string;
  readonly groupId: string | undefined;
  readonly createdAt = Date.now();
  readonly calls = new CallTracker();
  /** Calls that an export aborted because they did not end in time. */
  incompleteCalls = 0;
  lastAccessAt = this.createdAt;

  readonly #filters: readonly RegExp[];
  readonly #native: NativeSession = new native.Session();
  readonly #interactions: Interaction[] = [];
  readonly #indexOf = new Map<string, number>();
  #dropped = 0;
  #rewards = 0;
  #freed = false;
  #sealed = false;
  #state: SessionState = "active";
  #endedAt: number | undefined;
  #countAtEnd = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  readonly #onEnd: (() => void)[] = [];

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.taskId = options.taskId;
    this.groupId = options.groupId;
    this.#filters = options.messageFilters ?? [];
  }

  get state(): SessionState {
    return this.#state;
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** Interactions in the tree; orphans of repeated requests not counted. */
  get interactionCount(): number {
    return this.#interactions.length - this.#dropped;
  }

  /** Input tokens of all recorded calls together. */
  get promptTokens(): number {
    return this.#promptTokens;
  }

  /** Output tokens of all recorded calls together. */
  get completionTokens(): number {
    return this.#completionTokens;
  }

  get rewardsMissing(): boolean {
    return this.#rewards === 0;
  }

  /** Native memory that this session holds, in bytes. */
  get byteLength(): number {
    return this.#freed ? 0 : this.#native.byteLength;
  }

  /** Its tokens are gone: only the record of the session is left. */
  get freed(): boolean {
    return this.#freed;
  }

  /** For planning an export. */
  get tokens(): NativeSession {
    return this.#native;
  }

  touch(): void {
    this.lastAccessAt = Date.now();
  }

  prepare(messages: readonly Message[], tools: readonly Tool[] = []): PreparedMessages {
    const digests = native.digestMessages(canonicalMessages(messages, this.#filters));
    return { messages, digests, toolsKey: tools.length > 0 ? hashKey(JSON.stringify(tools)) : "" };
  }

  findParent(prepared: PreparedMessages): ParentMatch | undefined {
    return this.#native.findParent(prepared.digests);
  }

  interaction(index: number): Interaction {
    const found = this.#interactions[index];
    if (!found) throw new SessionError("interaction_not_found", `Session ${this.id} has no interaction ${index}.`);
    return found;
  }

  /** A prompt of these pieces, behind the whole sequence of interaction `base` where one is given. */
  prompt(pieces: readonly Int32Array[], base?: number): NativePrompt {
    return this.#native.prompt(pieces, base);
  }

  /** Adds a completed call to the tree and answers its interaction. */
  record(call: CompletedCall): Interaction {
    if (this.#state === "exported" || this.#state === "expired") {
      throw new SessionError("session_ended", `Session ${this.id} is ${this.#state} and records no more calls.`);
    }
    if (call.id !== undefined && this.#indexOf.has(call.id)) {
      throw new SessionError("invalid_value", `Session ${this.id} has an interaction "${call.id}" already.`, {
        param: "interactionId",
      });
    }
    const { messages, digests, toolsKey } = call.prepared;
    const orphan = call.replacesEarlier ? this.#findOrphan(digests) : undefined;
    const match = this.#standing(call.parent) ?? this.#native.findParent(digests);
    const inheritedMessages = match ? this.#inherited(match) : 0;
    const outputTokens = call.generation.length;
    const lastTokenId = outputTokens > 0 ? call.generation.ids(outputTokens - 1)[0] : undefined;
    const { index, parent, tokenExact } = this.#native.record({
      prompt: call.prompt,
      generation: call.generation,
      digests,
      output: canonicalMessages(call.output, this.#filters),
      parent: match?.index ?? -1,
    });
    const interaction: Interaction = {
      index,
      id: call.id ?? `interaction-${randomUUID()}`,
      api: call.api,
      createdAt: Date.now(),
      finishReason: call.finishReason,
      parent,
      tokenExact,
      inheritedMessages,
      newMessages: messages.slice(inheritedMessages),
      output: call.output,
      lastTokenId,
      toolsKey,
    };
    this.#interactions[index] = interaction;
    this.#indexOf.set(interaction.id, index);
    this.#promptTokens += call.prompt.length;
    this.#completionTokens += outputTokens;
    if (orphan !== undefined) this.#drop(orphan);
    this.touch();
    return interaction;
  }

  /** Sets the reward of one interaction, of the last completed one where none is named. Answers its id. */
  setReward(reward: number, interactionId?: string): string {
    const interaction = interactionId === undefined ? this.#last() : this.#named(interactionId);
    if (!Number.isFinite(reward) || !Number.isFinite(Math.fround(reward))) {
      throw new SessionError("invalid_value", "reward must be a finite number that fits a float32.", {
        param: "reward",
      });
    }
    if (this.#state === "exported" || this.#state === "expired") {
      throw new SessionError("session_exported", `Session ${this.id} is ${this.#state}: its rewards are final.`);
    }
    if (this.#native.interaction(interaction.index).ownReward === undefined) this.#rewards++;
    this.#native.setReward(interaction.index, reward);
    return interaction.id;
  }

  /** Ends the session; calls in flight go on. Answers how many interactions it had then, the same every time. */
  end(): number {
    if (this.#state !== "active") return this.#countAtEnd;
    this.#state = "ended";
    this.#endedAt = Date.now();
    this.#countAtEnd = this.interactionCount;
    for (const wake of this.#onEnd.splice(0)) wake();
    return this.#countAtEnd;
  }

  /** Resolves when the session is no longer active, or after `milliseconds`. */
  async waitEnd(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (this.#state !== "active" || milliseconds <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
      this.#onEnd.push(resolve);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    clearTimeout(timer);
  }

  /** Fixes calls and rewards while an export is packed, until {@link sealExport} or {@link cancelExport}. */
  beginExport(): void {
    if (this.#state === "ended") this.#state = "exported";
  }

  /** The export did not come about: the session is as before, unless another export was sealed meanwhile. */
  cancelExport(): void {
    if (this.#state === "exported" && !this.#sealed) this.#state = "ended";
  }

  sealExport(): void {
    this.#sealed = true;
    this.#state = "exported";
  }

  /** Frees the tokens. The record of the session stays. */
  free(state: "expired" | "exported"): void {
    this.#state = state;
    this.#freed = true;
    this.#native.release();
    this.#interactions.length = 0;
    this.#indexOf.clear();
    for (const wake of this.#onEnd.splice(0)) wake();
  }

  /** Input messages of an interaction, as {@link inputMessages} puts them together. */
  messagesOf(interaction: Interaction): Message[] {
    return inputMessages(interaction, this.#interactions);
  }

  /** The parent on which a prompt was built, unless it was dropped as an orphan since. */
  #standing(parent: ParentMatch | undefined): ParentMatch | undefined {
    return parent && !this.#native.interaction(parent.index).dropped ? parent : undefined;
  }

  #inherited(match: ParentMatch): number {
    const parent = this.interaction(match.index);
    return messageCount(parent) + (match.rule === "continuation" ? parent.output.length : 0);
  }

  #last(): Interaction {
    for (let i = this.#interactions.length - 1; i >= 0; i--) {
      const interaction = this.#interactions[i];
      if (interaction && this.#indexOf.has(interaction.id)) return interaction;
    }
    throw new SessionError("no_interactions", `Session ${this.id} has no completed model call to reward.`);
  }

  #named(id: string): Interaction {
    const index = this.#indexOf.get(id);
    if (index !== undefined) return this.interaction(index);
    const where = this.interactionCount === 0 ? "has no completed model call yet" : "has no such interaction";
    throw new SessionError("interaction_not_found", `Session ${this.id} ${where}: "${id.slice(0, 100)}".`, {
      param: "interaction_id",
    });
  }

  #findOrphan(digests: Uint8Array): number | undefined {
    return this.#native.findSame(digests).find((index) => {
      const info = this.#native.interaction(index);
      return info.children === 0 && info.ownReward === undefined;
    });
  }

  #drop(index: number): void {
    this.#native.drop(index);
    this.#indexOf.delete(this.interaction(index).id);
    this.#dropped++;
  }
}
