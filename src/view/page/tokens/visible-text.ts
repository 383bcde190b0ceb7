/** A part of a text: characters to show as they are, or one to show by its code point. */
export type TextPart = string | { readonly codePoint: number };

/**
 * Control characters and lone surrogates; format characters, which reorder or hide text (bidirectional controls,
 * zero-width characters, tags), except the joiners that emoji and many scripts need; and unusual line separators.
 * Tab and line feed are text.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
const EACH_INVISIBLE = new RegExp(INVISIBLE.source, "gu");

/** Splits a text so that characters that cannot be seen can be made visible. */
export function splitVisible(text: string): readonly TextPart[] {
  if (!INVISIBLE.test(text)) return [text];
  const parts: TextPart[] = [];
  let start = 0;
  for (const { index, 0: character } of text.matchAll(EACH_INVISIBLE)) {
    if (character === "\n" || character === "\t") continue;
    if (index > start) parts.push(text.slice(start, index));
    parts.push({ codePoint: character.codePointAt(0) ?? 0 });
    start = index + character.length;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

/** `U+202E` */
export const formatCodePoint = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
