import { useEffect, useRef, useState } from "preact/hooks";
import type { TokenSlice } from "../../api.js";
import { TokenFacts, type TokenPlace } from "./token-facts.js";
import { TokenSpans } from "./token-spans.js";

/**
 * Tokens as text. The row has the focus, and the arrow keys move in it; the line above shows all about the token under
 * the pointer or at the cursor.
 */
export function TokenRow({ slices }: { readonly slices: readonly TokenSlice[] }) {
  const [active, setActive] = useState(-1);
  const row = useRef<HTMLDivElement>(null);
  const count = slices.reduce((sum, { ids }) => sum + ids.length, 0);
  const id = useRef(`tokens-${Math.random().toString(36).slice(2)}`).current;
  useEffect(() => {
    const element = row.current?.querySelector(`[data-token="${active}"]`);
    element?.classList.add("active");
    return () => element?.classList.remove("active");
  }, [active]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, active, count);
    if (to === undefined) return;
    event.preventDefault();
    setActive(Math.min(count - 1, Math.max(0, to)));
    row.current?.querySelector(`[data-token="${to}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const onPointerOver = (event: PointerEvent): void => {
    const token = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-token]") : null;
    if (token) setActive(Number(token.dataset["token"]));
  };
  let from = 0;
  return (
    <>
      <TokenFacts place={findToken(slices, active)} id={`${id}-facts`} />
      <div
        ref={row}
        class="tokens"
        tabIndex={0}
        role="group"
        aria-label={`${count} tokens. Arrow keys choose a token.`}
        aria-describedby={`${id}-facts`}
        onKeyDown={onKeyDown}
        onPointerOver={onPointerOver}
      >
        {slices.map((slice, at) => {
          const start = from;
          from += slice.ids.length;
          return <TokenSpans key={at} slice={slice} from={start} />;
        })}
      </div>
    </>
  );
}

function targetOf(key: string, active: number, count: number): number | undefined {
  switch (key) {
    case "ArrowRight":
      return Math.min(count - 1, active + 1);
    case "ArrowLeft":
      return Math.max(0, active - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

function findToken(slices: readonly TokenSlice[], active: number): TokenPlace | null {
  let at = active;
  for (const slice of slices) {
    if (at >= 0 && at < slice.ids.length) return { slice, at, position: active };
    at -= slice.ids.length;
  }
  return null;
}
