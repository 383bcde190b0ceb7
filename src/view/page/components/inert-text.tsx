import type { ComponentChildren } from "preact";
import { formatCodePoint, splitVisible } from "../tokens/visible-text.js";

/** Untrusted text as text nodes. Characters that cannot be seen, or that reorder others, are shown by their code point. */
export function InertText({ text }: { readonly text: string }): ComponentChildren {
  const parts = splitVisible(text);
  if (parts.length === 1 && typeof parts[0] === "string") return text;
  return parts.map((part, at) => (typeof part === "string" ? part : <CodePoint key={at} codePoint={part.codePoint} />));
}

function CodePoint({ codePoint }: { readonly codePoint: number }) {
  return (
    <span class="code-point" title="A character that cannot be seen">
      {formatCodePoint(codePoint)}
    </span>
  );
}
