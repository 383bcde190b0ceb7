import type { SharedPromptText } from "../../engine/engine.js";
import { PromptText } from "../../engine/prompt-text.js";
import type { Session } from "../../session/session.js";
import type { Recent } from "./recent.js";
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
export declare function takePromptText(known: Recent<KnownPromptText>, session: Session, start: PromptStart): PromptTextUse | undefined;
/** Keeps the text of a recorded call's prompt for the next call. */
export declare function keepPromptText(known: Recent<KnownPromptText>, session: Session, { text, start }: PromptTextUse, interactions: readonly number[]): void;
