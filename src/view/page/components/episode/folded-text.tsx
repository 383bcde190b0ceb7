import { useState } from "preact/hooks";
import { foldText } from "../../state/fold-text.js";
import { formatCompact, plural } from "../../state/format.js";
import { InertText } from "../inert-text.js";

interface FoldedTextProps {
  readonly text: string;
  readonly isCode?: boolean;
}

/** Shows the beginning of a text, and more on each click. */
export function FoldedText({ text, isCode }: FoldedTextProps) {
  const [parts, setParts] = useState(0);
  const { shown, hiddenLines, hiddenCharacters } = foldText(text, parts);
  return (
    <div class="folded">
      <pre class={isCode ? "text code" : "text"} dir="auto" tabIndex={isCode ? 0 : undefined}>
        <InertText text={shown} />
      </pre>
      {hiddenCharacters > 0 && (
        <button type="button" class="button more" onClick={() => setParts(parts + 1)}>
          Show more: {plural(hiddenLines, "line")}, {formatCompact(hiddenCharacters)} characters
        </button>
      )}
      {parts > 0 && (
        <button type="button" class="button more" onClick={() => setParts(0)}>
          Show less
        </button>
      )}
    </div>
  );
}
