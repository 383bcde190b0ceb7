import { useEffect, useRef, useState } from "preact/hooks";
import type { Source, TokenItems, TokenPlace } from "../../../api.js";
import { messageOf } from "../../state/store.js";

/** A pointer that crosses tokens asks only for those at which it stays this long. */
const DELAY_MS = 80;
/** Number of tokens whose items are remembered. */
const REMEMBERED = 256;

/** The items of a token, or the reason why they cannot be read. */
export interface ReadItems {
  readonly position: number;
  readonly items: TokenItems;
  readonly error: string | null;
}

/** A row of tokens, and where their items come from. */
export interface RowPlace extends Omit<TokenPlace, "token"> {
  readonly source: Source;
}

/** Reads what channels have for a token. Until it is there, returns what was read last. */
export function useTokenItems({ source, episode, interaction }: RowPlace, position: number): ReadItems | null {
  const [shown, setShown] = useState<ReadItems | null>(null);
  const known = useRef(new Map<number, TokenItems>()).current;
  useEffect(() => {
    const read = source.items;
    if (!read || position < 0) return undefined;
    const items = known.get(position);
    if (items) return setShown({ position, items, error: null });
    let isWanted = true;
    const timer = setTimeout(() => {
      read({ episode, interaction, token: position }).then(
        (found) => {
          remember(known, position, found);
          if (isWanted) setShown({ position, items: found, error: null });
        },
        (error: unknown) => isWanted && setShown({ position, items: [], error: messageOf(error) }),
      );
    }, DELAY_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, episode, interaction, position]);
  return shown;
}

function remember(known: Map<number, TokenItems>, position: number, items: TokenItems): void {
  known.set(position, items);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
}
