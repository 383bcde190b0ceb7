import { signal } from "@preact/signals";
import { COLOURINGS, type TokenColouring } from "./colours.js";

/** The colouring of all token panels. */
export const colouring = signal<TokenColouring>("logprob");

export function cycleColouring(): void {
  const next = (COLOURINGS.indexOf(colouring.value) + 1) % COLOURINGS.length;
  colouring.value = COLOURINGS[next] ?? "logprob";
}
