import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Source, TokenSlice } from "../../api.js";
import { ImageView } from "../components/image-view.js";
import { TokenDetails } from "./channels/token-details.js";
import { colouring } from "./colouring-choice.js";
import {
  BASE_COLOURINGS,
  type ColumnScale,
  columnClass,
  findChannel,
  scaleOf,
  type TokenColouring,
  tokenClass,
} from "./colours.js";
import { describeImage, findRunInWindow, listRuns } from "./shown-run.js";
import { findToken } from "./shown-token.js";
import { TokenFacts } from "./token-facts.js";
import { TokenTextView } from "./token-text-view.js";
import { type TokenWindow, windowEnd } from "./token-window.js";

interface TokenRowProps {
  readonly source: Source;
  readonly episode: number;
  readonly interaction: number;
  readonly window: TokenWindow;
}

/**
 * Tokens as text. The row has the focus, and arrow keys move its cursor. The line above shows the values of the token
 * under the pointer or at the cursor, and a section below what channels have for it. A click keeps the cursor at a token.
 */
export function TokenRow({ source, episode, interaction, window }: TokenRowProps) {
  const [active, setActive] = useState(-1);
  const [isKept, setKept] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  const [first, end] = [window.from, windowEnd(window)];
  const { image } = findRunInWindow(window, active);
  const id = useRef(`tokens-${Math.random().toString(36).slice(2)}`).current;
  useEffect(() => {
    const element = row.current?.querySelector(`[data-token="${active}"]`);
    element?.classList.add("active");
    return () => element?.classList.remove("active");
  }, [active]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, active, window);
    if (to === undefined) return;
    event.preventDefault();
    setActive(to);
    row.current?.querySelector(`[data-token="${to}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const onPointerOver = (event: PointerEvent): void => {
    const token = tokenAt(event.target);
    if (token !== undefined && !isKept) setActive(token);
  };
  const onClick = (event: MouseEvent): void => {
    const token = tokenAt(event.target);
    // The end of a selection of text is a click, too.
    if (token === undefined || getSelection()?.isCollapsed === false) return;
    setKept(!isKept || token !== active);
    setActive(token);
  };
  return (
    <>
      <TokenFacts token={findToken(window, active)} id={`${id}-facts`} />
      <div
        ref={row}
        class={isKept ? "tokens kept" : "tokens"}
        tabIndex={0}
        role="group"
        aria-label={`${end - first} tokens. Arrow keys choose a token.`}
        aria-describedby={`${id}-facts`}
        onKeyDown={onKeyDown}
        onPointerOver={onPointerOver}
        onClick={onClick}
      >
        <TokenChunks window={window} />
      </div>
      {image && <ImageView key={image.sha256} source={source} episode={episode} image={image} />}
      <TokenDetails
        place={{ source, episode, interaction }}
        window={window}
        position={active}
        isKept={isKept}
        onRelease={() => setKept(false)}
      />
    </>
  );
}

function tokenAt(target: EventTarget | null): number | undefined {
  const token = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-token]") : null;
  return token ? Number(token.dataset["token"]) : undefined;
}

/** Returns the first token of the run that a key leads to. */
function targetOf(key: string, active: number, window: TokenWindow): number | undefined {
  const [first, last] = [window.from, windowEnd(window) - 1];
  const startOf = (position: number) => findRunInWindow(window, Math.min(last, Math.max(first, position))).from;
  switch (key) {
    case "ArrowRight":
      return startOf(findRunInWindow(window, active).end);
    case "ArrowLeft":
      return startOf(active - 1);
    case "Home":
      return startOf(first);
    case "End":
      return startOf(last);
    default:
      return undefined;
  }
}

/** The spans of all tokens, a group per slice. */
function TokenChunks({ window }: { readonly window: TokenWindow }) {
  const by = colouring.value;
  const scale = useMemo(() => scaleOfWindow(window, by), [window, by]);
  let from = window.from;
  return (
    <>
      {window.slices.map((slice) => {
        const start = from;
        from += slice.ids.length;
        return <TokenSpans key={start} slice={slice} from={start} by={by} scale={scale} />;
      })}
    </>
  );
}

function scaleOfWindow({ slices }: TokenWindow, by: TokenColouring): ColumnScale | null {
  const found = slices.map(({ channels }) => findChannel(channels, by));
  return found[0]
    ? scaleOf(
        found[0],
        found.map((channel) => channel?.column),
      )
    : null;
}

interface TokenSpansProps {
  readonly slice: TokenSlice;
  /** Position of the slice's first token among the interaction's own tokens. */
  readonly from: number;
  readonly by: TokenColouring;
  /** Of the channel that the colouring shows; null if it shows none. */
  readonly scale: ColumnScale | null;
}

/** A span per token, or for all tokens of an image. They are rendered once per slice and colouring, not when the cursor moves. */
function TokenSpans({ slice, from, by, scale }: TokenSpansProps) {
  return useMemo(() => {
    const classOf = createClassOf(slice, from, by, scale);
    return (
      <span class="token-chunk">
        {listRuns(slice, from).map(({ from: position, end, image }) => {
          const at = position - from;
          return (
            <span key={at} data-token={position} class={image ? `${classOf(at)} image-tokens` : classOf(at)}>
              {image ? (
                describeImage(image, end - position)
              ) : (
                <TokenTextView id={slice.ids[at] ?? -1} text={slice.texts?.[at] ?? null} />
              )}
            </span>
          );
        })}
      </span>
    );
  }, [slice, from, by, scale]);
}

/** Returns a function that returns the class of a token of a slice. */
function createClassOf(
  { channels, logprobs, loss_mask, versions, output_start }: TokenSlice,
  from: number,
  by: TokenColouring,
  scale: ColumnScale | null,
): (at: number) => string {
  const column = findChannel(channels, by)?.column;
  const base = BASE_COLOURINGS.find((each) => each === by) ?? "logprob";
  return (at) => {
    const [logprob, output] = [logprobs[at] ?? 0, from + at >= output_start];
    if (scale) return columnClass(scale, column?.[at], { logprob, output });
    return tokenClass({ logprob, trained: loss_mask[at] === 1, version: versions[at] ?? -1, output }, base);
  };
}
