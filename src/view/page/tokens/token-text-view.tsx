import { InertText } from "../components/inert-text.js";

/** The text of a token; its id without a tokenizer. A line break is shown as ↵ and breaks the line; a part of a character is a dot. */
export function TokenTextView({ id, text }: { readonly id: number; readonly text: string | null }) {
  if (text === null) return <>{id} </>;
  if (text === "") return <span class="partial">·</span>;
  if (!text.includes("\n")) return <InertText text={text} />;
  return <InertText text={text.replaceAll("\n", "↵\n")} />;
}
