import { useEffect, useState } from "preact/hooks";
import type { Source } from "../../api.js";
import { messageOf } from "../state/store.js";
import { firstShown, SLICE, type TokenWindow, windowEnd, withoutFirst } from "./token-window.js";

/** Reads the tokens of an interaction: first those around the beginning of its answer, then more on demand. */
export function useTokenWindow(source: Source, episode: number, interaction: number) {
  const [window, setWindow] = useState<TokenWindow | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);

  const read = (from: number, count: number) => source.tokens({ episode, interaction, from, count });

  async function openWindow(): Promise<TokenWindow> {
    const slice = await read(0, SLICE);
    const from = firstShown(slice);
    if (from === 0) return { from, slices: [slice] };
    return { from, slices: [from < slice.ids.length ? withoutFirst(slice, from) : await read(from, SLICE)] };
  }

  function change(next: Promise<TokenWindow>): void {
    setReading(true);
    next.then(setWindow, (failure: unknown) => setError(messageOf(failure))).finally(() => setReading(false));
  }

  useEffect(() => change(openWindow()), [source, episode, interaction]);

  async function withEarlier(known: TokenWindow): Promise<TokenWindow> {
    const from = Math.max(0, known.from - SLICE);
    return { from, slices: [await read(from, known.from - from), ...known.slices] };
  }

  async function withLater(known: TokenWindow): Promise<TokenWindow> {
    return { from: known.from, slices: [...known.slices, await read(windowEnd(known), SLICE)] };
  }

  return {
    window,
    error,
    isReading,
    showEarlier: () => window && change(withEarlier(window)),
    showLater: () => window && change(withLater(window)),
  };
}
