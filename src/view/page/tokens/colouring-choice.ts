import { signal } from "@preact/signals";
import { BASE_COLOURINGS, type TokenColouring } from "./colours.js";

/** The colouring of all token panels. A panel without it shows log probabilities. */
export const colouring = signal<TokenColouring>("logprob");

/** The colourings that the panel that was opened last has. */
export const colouringChoices = signal<readonly TokenColouring[]>(BASE_COLOURINGS);

export function cycleColouring(): void {
  const choices = colouringChoices.value;
  colouring.value = choices[(choices.indexOf(colouring.value) + 1) % choices.length] ?? "logprob";
}
