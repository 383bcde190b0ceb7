/** Words of three letters. With a space before it, each is one token of Qwen3's tokenizer, so a token has four characters. */
export const WORDS =
  "the and for not you are but all any can had her was one our out day get has him his how man new now old see two way who".split(
    " ",
  );

/** Returns text of this many words that differs from that of other seeds. */
export function wordsOf(count: number, seed: number): string {
  let state = (seed * 2654435761 + 1) >>> 0;
  let text = "";
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += ` ${WORDS[(state >>> 16) % WORDS.length] ?? "the"}`;
  }
  return text;
}
