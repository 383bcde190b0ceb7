import { randomText } from "../../test/helpers/random.js";

/** Number of characters of a request's body: about 1K, 32K and 120K tokens of a common tokenizer. */
export const SIZES = { small: 4_000, medium: 124_000, large: 479_000 } as const;

/** Approximate number of characters of a message. Longer histories have more messages. */
const MESSAGE_CHARACTERS = 4_000;

interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export const user = (content: string): Message => ({ role: "user", content });
export const assistant = (content: string): Message => ({ role: "assistant", content });

/** Returns messages of the user and the assistant in turn, the last one of the user. */
export function history(characters: number, seed: number): Message[] {
  const count = Math.max(1, Math.round(characters / MESSAGE_CHARACTERS));
  const odd = count % 2 === 0 ? count + 1 : count;
  const text = (i: number) => randomText(Math.round(characters / odd), seed * 1000 + i);
  return Array.from({ length: odd }, (_, i) => (i % 2 ? assistant : user)(text(i)));
}

/** Returns a history in which about a seventh of the words have characters outside Latin-1, as in texts of real agents. */
export function unicodeHistory(characters: number, seed: number): Message[] {
  const replace = (text: string) =>
    text.replaceAll("result", "“result”").replaceAll("fetch", "数据").replaceAll("name", "🙂");
  return history(characters, seed).map(({ role, content }) => ({ role, content: replace(content) }));
}

export function body(messages: readonly object[], extra: object = {}): string {
  return JSON.stringify({ model: "tiny", messages, max_tokens: 512, ...extra });
}

/** Placeholder for the number of the turn, which has as many digits. */
const PLACE = "########";

/**
 * Returns a function that makes the bodies of a conversation's next turns. A body has the conversation's messages and a short new one
 * with the number of the turn.
 *
 * All bodies are the same buffer, in which only the number changes. So the load generator encodes no text for a call. A body is valid
 * until the next one is made: wait for the answer first.
 */
export function turnBodies(messages: readonly object[]): () => Buffer {
  const bytes = Buffer.from(body([...messages, user(`and number ${PLACE}?`)]));
  const place = bytes.lastIndexOf(PLACE);
  let turn = 0;
  return () => {
    bytes.write(String(turn++).padStart(PLACE.length, "0"), place, "latin1");
    return bytes;
  };
}
