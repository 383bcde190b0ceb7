import type { Message } from "../conversation/message.js";
import type { ParentMatch } from "../native/contract.js";
import { SessionError } from "./errors.js";
import { differenceTo, type InputMessages, type Interaction, inputMessages } from "./interaction.js";

/** The interactions of one session in completion order. */
export class InteractionLog {
  readonly #sessionId: string;
  readonly #all: Interaction[] = [];
  readonly #indexOf = new Map<string, number>();
  #count = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Recorded interactions. Stays what it was when the log is cleared. */
  get count(): number {
    return this.#count;
  }

  has(id: string): boolean {
    return this.#indexOf.has(id);
  }

  add(interaction: Interaction): void {
    this.#all[interaction.index] = interaction;
    this.#indexOf.set(interaction.id, interaction.index);
    this.#count++;
  }

  /** Forgets the interactions, not their number. */
  clear(): void {
    this.#all.length = 0;
    this.#indexOf.clear();
  }

  at(index: number): Interaction {
    const found = this.#all[index];
    if (!found)
      throw new SessionError("interaction_not_found", `Session ${this.#sessionId} has no interaction ${index}.`);
    return found;
  }

  /** The last completed one, if there is one. */
  get newest(): Interaction | undefined {
    return this.#all.at(-1);
  }

  /** The last completed one. */
  last(): Interaction {
    const { newest } = this;
    if (newest) return newest;
    throw new SessionError("no_interactions", `Session ${this.#sessionId} has no completed model call to reward.`);
  }

  named(id: string): Interaction {
    const index = this.#indexOf.get(id);
    if (index !== undefined) return this.at(index);
    const message = `Session ${this.#sessionId} has no interaction "${id.slice(0, 100)}".`;
    throw new SessionError("interaction_not_found", message, { param: "interactionId" });
  }

  messagesOf(interaction: Interaction): Message[] {
    return inputMessages(interaction, this.#all);
  }

  /** A request's messages as what they add to those of its parent. */
  difference(messages: readonly Message[], match: ParentMatch | undefined): InputMessages {
    if (!match) return differenceTo([], messages);
    const parent = this.at(match.index);
    const output = match.rule === "continuation" ? parent.output : [];
    return differenceTo([...this.messagesOf(parent), ...output], messages);
  }
}
