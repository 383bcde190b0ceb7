import { useState } from "preact/hooks";
import type { TokenText } from "../../../api.js";
import { formatWhole, plural } from "../../state/format.js";
import { TokenName } from "./token-name.js";

/** Number of tokens that are shown at first. */
const SHOWN = 24;

interface TokenSetProps {
  /** The first tokens of the set. */
  readonly tokens: readonly TokenText[];
  readonly total: number;
  /** Id of the token that was sampled from the set. */
  readonly sampled: number;
}

/** A set of tokens. The one that was sampled is marked. */
export function TokenSet({ tokens, total, sampled }: TokenSetProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? tokens : tokens.slice(0, SHOWN);
  return (
    <>
      <ul class="token-set">
        {shown.map((token, at) => (
          <li key={at} class={token.id === sampled ? "sampled" : undefined}>
            <TokenName {...token} />
            {token.id === sampled && <span class="mark"> this token</span>}
          </li>
        ))}
      </ul>
      {shown.length < tokens.length && (
        <button type="button" class="button" onClick={() => setOpen(true)}>
          Show {plural(tokens.length - shown.length, "more token")}
        </button>
      )}
      {isOpen && tokens.length < total && <p class="quiet">and {formatWhole(total - tokens.length)} more</p>}
    </>
  );
}
