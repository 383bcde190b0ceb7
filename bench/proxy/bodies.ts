import { randomText } from "../text.js";

/** Characters of a request's body, as in the comparison of proxies: 1K, 32K and 120K tokens of a usual tokenizer. */
export const SIZES = { small: 4_000, medium: 124_000, large: 479_000 } as const;

/** A history is made of messages of about this many characters, as conversations are. */
const MESSAGE_CHARACTERS = 4_000;

export const user = (content: string) => ({ role: "user", content });
export const assistant = (content: string) => ({ role: "assistant", content });

/** Messages that end with the user's. */
export function history(characters: number, seed: number): object[] {
  const count = Math.max(1, Math.round(characters / MESSAGE_CHARACTERS));
  const odd = count % 2 === 0 ? count + 1 : count;
  const text = (i: number) => randomText(Math.round(characters / odd), seed * 1000 + i);
  return Array.from({ length: odd }, (_, i) => (i % 2 ? assistant : user)(text(i)));
}

export function body(messages: readonly object[], extra: object = {}): string {
  return JSON.stringify({ model: "tiny", messages, max_tokens: 512, ...extra });
}
