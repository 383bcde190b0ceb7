import { useEffect, useRef, useState } from "preact/hooks";
import { TokenFacts, type TokenPlace } from "./token-facts.js";
import { TokenSpans } from "./token-spans.js";
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
