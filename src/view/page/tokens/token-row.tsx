import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TokenSlice } from "../../api.js";
import { InertText } from "../components/inert-text.js";
import { colouring } from "./colouring-choice.js";
import { tokenClass } from "./colours.js";
import { TokenTextView } from "./token-text-view.js";
import { type TokenWindow, windowEnd } from "./token-window.js";

/**
 * Tokens as text. The row has the focus, and arrow keys move its cursor. The line above shows the values of the token
 * under the pointer or at the cursor.
 */
export function TokenRow({ window }: { readonly window: TokenWindow }) {
  const [active, setActive] = useState(-1);
  const row = useRef<HTMLDivElement>(null);
  const [first, end] = [window.from, windowEnd(window)];
  const id = useRef(`tokens-${Math.random().toString(36).slice(2)}`).current;
  useEffect(() => {
    const element = row.current?.querySelector(`[data-token="${active}"]`);
    element?.classList.add("active");
    return () => element?.classList.remove("active");
  }, [active]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, active, first, end);
    if (to === undefined) return;
    event.preventDefault();
    setActive(to);
    row.current?.querySelector(`[data-token="${to}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const onPointerOver = (event: PointerEvent): void => {
    const token = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-token]") : null;
    if (token) setActive(Number(token.dataset["token"]));
  };
  let from = first;
  return (
    <>
      <TokenFacts place={findToken(window, active)} id={`${id}-facts`} />
      <div
        ref={row}
        class="tokens"
        tabIndex={0}
        role="group"
        aria-label={`${end - first} tokens. Arrow keys choose a token.`}
        aria-describedby={`${id}-facts`}
        onKeyDown={onKeyDown}
        onPointerOver={onPointerOver}
      >
        {window.slices.map((slice) => {
          const start = from;
          from += slice.ids.length;
          return <TokenSpans key={start} slice={slice} from={start} />;
        })}
      </div>
    </>
  );
}

function targetOf(key: string, active: number, first: number, end: number): number | undefined {
  switch (key) {
    case "ArrowRight":
      return Math.min(end - 1, Math.max(first, active + 1));
    case "ArrowLeft":
      return Math.max(first, active - 1);
    case "Home":
      return first;
    case "End":
      return end - 1;
    default:
      return undefined;
  }
}

function findToken({ from, slices }: TokenWindow, active: number): TokenPlace | null {
  let at = active - from;
  for (const slice of slices) {
    if (at >= 0 && at < slice.ids.length) return { slice, at, position: active };
    at -= slice.ids.length;
  }
  return null;
}

interface TokenPlace {
  readonly slice: TokenSlice;
  /** Position in the slice. */
  readonly at: number;
  /** Position among the interaction's own tokens. */
  readonly position: number;
}

/** The values of one token, in a line of fixed height. */
function TokenFacts({ place, id }: { readonly place: TokenPlace | null; readonly id: string }) {
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

interface TokenSpansProps {
  readonly slice: TokenSlice;
  /** Position of the slice's first token among the interaction's own tokens. */
  readonly from: number;
}

/** A span per token. They are rendered once per slice and colouring, not when the cursor moves. */
function TokenSpans({ slice, from }: TokenSpansProps) {
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
