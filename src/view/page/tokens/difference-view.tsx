import type { TokenSlice, TokenText as TokenTextValue } from "../../api.js";
import { firstDifference } from "./first-difference.js";
import { TokenTextView } from "./token-text-view.js";

type Difference = NonNullable<TokenSlice["difference"]>;

/** Tokens of a prompt and of its parent around the first one that differs. */
export function DifferenceView({ difference: { at, parent, own } }: { readonly difference: Difference }) {
  const first = firstDifference(parent, own);
  return (
    <section class="difference" aria-label="First difference">
      <p>
        The prompt differs from the turn before at token <b>{at}</b>.
      </p>
      <dl>
        <dt>Before</dt>
        <dd>
          <Side tokens={parent} first={first} />
        </dd>
        <dt>Now</dt>
        <dd>
          <Side tokens={own} first={first} />
        </dd>
      </dl>
    </section>
  );
}

function Side({ tokens, first }: { readonly tokens: readonly TokenTextValue[]; readonly first: number }) {
  return (
    <span class="tokens">
      {tokens.map(({ id, text }, at) => (
        <span
          key={at}
          class={at < first ? "tok prompt" : at === first ? "tok differs first" : "tok differs"}
          title={`id ${id}`}
        >
          <TokenTextView id={id} text={text} />
        </span>
      ))}
    </span>
  );
}
