import { useMemo } from "preact/hooks";
import type { TokenSlice } from "../../api.js";
import { colouring } from "./colouring-choice.js";
import { tokenClass } from "./colours.js";
import { TokenTextView } from "./token-text-view.js";

interface TokenSpansProps {
  readonly slice: TokenSlice;
  /** Position of the slice's first token among the interaction's own tokens. */
  readonly from: number;
}

/** A span per token. They are rendered once per slice and colouring, not when the cursor moves. */
export function TokenSpans({ slice, from }: TokenSpansProps) {
  const by = colouring.value;
  return useMemo(
    () => (
      <span class="token-chunk">
        {slice.ids.map((id, at) => (
          <span
            key={at}
            data-token={from + at}
            class={tokenClass(
              {
                logprob: slice.logprobs[at] ?? 0,
                trained: slice.loss_mask[at] === 1,
                version: slice.versions[at] ?? -1,
                output: from + at >= slice.output_start,
              },
              by,
            )}
          >
            <TokenTextView id={id} text={slice.texts?.[at] ?? null} />
          </span>
        ))}
      </span>
    ),
    [slice, from, by],
  );
}
