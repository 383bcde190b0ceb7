import type { TokenText } from "../../../api.js";
import { formatLogprob, formatProbability } from "../format-values.js";
import { TokenName } from "./token-name.js";

/** A token with a log probability at a position. */
export interface LikelyToken extends TokenText {
  readonly logprob: number;
}

interface TokenTableProps {
  readonly tokens: readonly LikelyToken[];
  /** Id of the token that was sampled at the position. */
  readonly sampled: number;
  /** True if these are the most likely tokens, so that a reader looks for the sampled one. */
  readonly areLikeliest: boolean;
}

/** Tokens with their probabilities at a position. The one that was sampled is marked. */
export function TokenTable({ tokens, sampled, areLikeliest }: TokenTableProps) {
  const isAmongThem = tokens.some(({ id }) => id === sampled);
  return (
    <>
      <table class="likely">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Probability</th>
            <th scope="col">Log probability</th>
          </tr>
        </thead>
        <tbody>
          {tokens.map(({ id, text, logprob }, at) => (
            <tr key={at} class={id === sampled ? "sampled" : undefined}>
              <th scope="row">
                <TokenName id={id} text={text} />
                {id === sampled && <span class="mark"> this token</span>}
              </th>
              <td class="probability">
                <span class="fill" style={{ width: `${Math.min(100, 100 * Math.exp(logprob))}%` }} />
                <span>{formatProbability(logprob)}</span>
              </td>
              <td>{formatLogprob(logprob)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {areLikeliest && !isAmongThem && <p class="quiet">The token itself is not among them.</p>}
    </>
  );
}
