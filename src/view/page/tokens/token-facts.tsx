import type { TokenSlice } from "../../api.js";
import { InertText } from "../components/inert-text.js";

export interface TokenPlace {
  readonly slice: TokenSlice;
  /** Position in the slice. */
  readonly at: number;
  /** Position among the interaction's own tokens. */
  readonly position: number;
}

/** The values of one token, in a line of fixed height. */
export function TokenFacts({ place, id }: { readonly place: TokenPlace | null; readonly id: string }) {
  return (
    <p class="token-facts" id={id} aria-live="polite">
      {place ? <Facts {...place} /> : <span class="quiet">Point at a token, or use the arrow keys.</span>}
    </p>
  );
}

function Facts({ slice, at, position }: TokenPlace) {
  const text = slice.texts?.[at];
  const logprob = slice.logprobs[at] ?? 0;
  const isOutput = position >= slice.output_start;
  return (
    <>
      <span>
        token <b>{position}</b>
      </span>
      <span>
        id <b>{slice.ids[at]}</b>
      </span>
      {text !== undefined && (
        <span>
          text{" "}
          <b class="token-quote">{text === "" ? "part of a character" : <InertText text={JSON.stringify(text)} />}</b>
        </span>
      )}
      {isOutput && (
        <>
          <span>
            log probability <b>{logprob.toFixed(4).replace("-", "−")}</b> ({(100 * Math.exp(logprob)).toPrecision(3)}%)
          </span>
          <span>
            version <b>{slice.versions[at]}</b>
          </span>
          <span>
            temperature <b>{slice.temperature}</b>
          </span>
        </>
      )}
      <span>{isOutput ? (slice.loss_mask[at] === 1 ? "in the loss" : "not in the loss") : "prompt"}</span>
    </>
  );
}
