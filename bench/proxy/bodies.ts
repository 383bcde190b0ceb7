import { randomText } from "../text.js";

/** Number of characters of a request's body: about 1K, 32K and 120K tokens of a common tokenizer. */
export const SIZES = { small: 4_000, medium: 124_000, large: 479_000 } as const;

/** Approximate number of characters of a message. Longer histories have more messages. */
const MESSAGE_CHARACTERS = 4_000;

export const user = (content: string) => ({ role: "user", content });
export const assistant = (content: string) => ({ role: "assistant", content });

/** Returns messages of the user and the assistant in turn, the last one of the user. */
export function history(characters: number, seed: number): object[] {
  const count = Math.max(1, Math.round(characters / MESSAGE_CHARACTERS));
  const odd = count % 2 === 0 ? count + 1 : count;
  const text = (i: number) => randomText(Math.round(characters / odd), seed * 1000 + i);
  return Array.from({ length: odd }, (_, i) => (i % 2 ? assistant : user)(text(i)));
}

export function body(messages: readonly object[], extra: object = {}): string {
  return JSON.stringify({ model: "tiny", messages, max_tokens: 512, ...extra });
}
