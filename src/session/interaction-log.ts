import type { Message } from "../conversation/message.js";
import type { ParentMatch } from "../native/contract.js";
import { SessionError } from "./errors.js";
import { joinMessages, type RecordedInteraction } from "./recorded-interaction.js";

/** The interactions of one session in completion order. */
export class InteractionLog {
  readonly sessionId: string;
  readonly #all: RecordedInteraction[] = [];
  readonly #indexOf = new Map<string, number>();
  readonly #toolsKeys = new Set<string>();
  #count = 0;
  #frozenCount = 0;

  /** @param count number of interactions, if the session is on disk only */
  constructor(sessionId: string, count = 0) {
    this.sessionId = sessionId;
    this.#count = count;
  }

  /** Number of recorded interactions. Clearing the log does not change it. */
  get count(): number {
    return this.#count;
  }

  /** Number of interactions of models that are not trained. 0 while the session is on disk only. */
  get frozenCount(): number {
    return this.#frozenCount;
  }

  has(id: string): boolean {
    return this.#indexOf.has(id);
  }

  add(interaction: RecordedInteraction): void {
    this.#all[interaction.index] = interaction;
    this.#indexOf.set(interaction.id, interaction.index);
    this.#toolsKeys.add(interaction.toolsKey);
    if (interaction.frozen) this.#frozenCount++;
    this.#count = Math.max(this.#count, this.#all.length);
  }

  /** Removes the interactions. Their number stays. */
  clear(): void {
    this.#all.length = 0;
    this.#indexOf.clear();
    this.#toolsKeys.clear();
    this.#frozenCount = 0;
  }

  /** Returns true if an interaction has these tools. */
  hasTools(toolsKey: string): boolean {
    return this.#toolsKeys.has(toolsKey);
  }

  at(index: number): RecordedInteraction {
    const found = this.#all[index];
    if (!found)
      throw new SessionError("interaction_not_found", `Session ${this.sessionId} has no interaction ${index}.`);
    return found;
  }

  /** The interaction that completed last; undefined if there are none. */
  get newest(): RecordedInteraction | undefined {
    return this.#all.at(-1);
  }

  /** Returns the interaction that completed last. Throws if there are none. */
  requireNewest(): RecordedInteraction {
    const { newest } = this;
    if (newest) return newest;
    throw new SessionError("no_interactions", `Session ${this.sessionId} has no completed model call to reward.`);
  }

  /** Returns the interaction of a trained model that completed last, or the last of all if there is none. Throws if there are none. */
  requireNewestTrained(): RecordedInteraction {
    const newest = this.requireNewest();
    return newest.frozen ? (this.#all.findLast(({ frozen }) => !frozen) ?? newest) : newest;
  }

  /** Returns the interaction with this id. Throws if there is none. */
  require(id: string): RecordedInteraction {
    const index = this.#indexOf.get(id);
    if (index !== undefined) return this.at(index);
    const message = `Session ${this.sessionId} has no interaction "${id.slice(0, 100)}".`;
    throw new SessionError("interaction_not_found", message, { param: "interactionId" });
  }

  /** Returns the input messages of an interaction, exactly as its request spelled them. */
  readMessages(interaction: RecordedInteraction): Message[] {
    return joinMessages(interaction, this.#all);
  }

  /** Returns the messages that a request has in common with its parent. Their spelling in the request may differ. */
  readInherited(match: ParentMatch | undefined): Message[] {
    if (!match) return [];
    const parent = this.at(match.index);
    const output = match.rule === "continuation" ? parent.output : [];
    return [...this.readMessages(parent), ...output];
  }
}
