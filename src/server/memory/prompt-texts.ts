import type { SharedPromptText } from "../../engine/engine.js";
import { PromptText } from "../../engine/prompt-text.js";
import type { Session } from "../../session/session.js";
import type { MemorySlot } from "./memory-slot.js";

/** Shorter prompts are written in a few microseconds. */
const MIN_TOKENS = 8192;

/** A prompt, and how its tokens begin. */
export interface PromptStart {
  readonly tokens: number;
  /** The parent of the call; undefined if it has none. */
  readonly parent: number | undefined;
  /** Number of first tokens that the prompt shares with its parent's prompt and output. */
  readonly shared: number;
}

/** The text of a recorded call's prompt, as it was written for the engine. */
export interface KnownPromptText extends PromptStart {
  readonly text: PromptText;
  /** Indices of the interactions that the call recorded, one per choice. */
  readonly interactions: readonly number[];
}

/** The text that a call's request extends, and the start of its prompt. */
export interface PromptTextUse extends SharedPromptText {
  readonly start: PromptStart;
}

/**
 * Takes the text that begins with the most tokens of a prompt: that of the call's parent, or of another child of it. The call
 * then extends it. A call that fails does not add it again, because a socket may still read it.
 *
 * @returns undefined if the prompt is short
 */
export function takePromptText(
  known: MemorySlot<KnownPromptText>,
  session: Session,
  start: PromptStart,
): PromptTextUse | undefined {
  if (start.tokens < MIN_TOKENS) return undefined;
  const recent = known.forSession(session);
  let best: KnownPromptText | undefined;
  let shared = 0;
  for (const item of recent.items) {
    const count = countShared(start, item);
    if (count > shared) [best, shared] = [item, count];
  }
  if (best) recent.take(best);
  return { text: best?.text ?? new PromptText(), shared, start };
}

/** Keeps the text of a recorded call's prompt for the next call. */
export function keepPromptText(
  known: MemorySlot<KnownPromptText>,
  session: Session,
  { text, start }: PromptTextUse,
  interactions: readonly number[],
): void {
  if (text.isReady) known.forSession(session).add({ ...start, text, interactions });
}

/** Returns the number of first tokens that are certainly equal. */
function countShared({ parent, shared }: PromptStart, item: KnownPromptText): number {
  if (parent === undefined) return 0;
  if (item.interactions.includes(parent)) return Math.min(shared, item.tokens);
  return item.parent === parent ? Math.min(shared, item.shared) : 0;
}
