import type { FolderChatModel } from "../../src/model/load-chat-model.js";

export interface Message {
  readonly role: "system" | "user";
  readonly content: string;
}

export interface Prompt {
  readonly messages: readonly Message[];
  readonly ids: readonly number[];
}

const SYSTEM = "You answer questions about numbers, one after the other, in a few words. ".repeat(6);

/**
 * Makes prompts that all have the same number of tokens. They begin with the same system message, as those of agents do, and no two are
 * equal: an engine finds the same part of each in its cache.
 */
export class Prompts {
  readonly #model: FolderChatModel;
  #number = 10_000_000;
  #length: number | undefined;

  constructor(model: FolderChatModel) {
    this.#model = model;
  }

  /** The number of tokens of each prompt; 0 before the first one. */
  get length(): number {
    return this.#length ?? 0;
  }

  async make(count: number): Promise<Prompt[]> {
    const prompts: Prompt[] = [];
    while (prompts.length < count) {
      const prompt = await this.#render();
      this.#length ??= prompt.ids.length;
      if (prompt.ids.length === this.#length) prompts.push(prompt);
    }
    return prompts;
  }

  async #render(): Promise<Prompt> {
    const messages: Message[] = [
      { role: "system", content: SYSTEM },
      // The digits in which two prompts differ come first, so that engines share nothing behind the system message.
      {
        role: "user",
        content: `${String(this.#number++)
          .split("")
          .reverse()
          .join("")} is which kind of number?`,
      },
    ];
    const text = await this.#model.prompt({ messages: messages.map(({ role, content }) => ({ role, content })) });
    return { messages, ids: text.idPieces.flatMap((ids) => [...ids]) };
  }
}
