import type { TokenText } from "../../../api.js";
import { InertText } from "../../components/inert-text.js";

/** A token in a list: its text, or its id without a tokenizer. */
export function TokenName({ id, text }: TokenText) {
  return (
    <span class="token-quote" title={`id ${id}`}>
      {text === null ? id : <InertText text={JSON.stringify(text)} />}
    </span>
  );
}
