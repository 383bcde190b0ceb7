import type { Steps } from "../../support/async/steps.js";
import type { ImageBytes } from "../session-images.js";
import type { ToolList } from "../tool-lists.js";
import type { StoredInteraction } from "./interaction-record.js";
import type { Outcome } from "./outcome-record.js";

/** All items that were added to an interaction after its call. */
export interface AddedChannels {
  readonly index: number;
  /** The result of the native session's `serializeAdded`. */
  readonly bytes: Buffer;
}

/** The parts of an interaction that no earlier one of its session had. */
export interface FirstUses {
  readonly newTools: ToolList | undefined;
  readonly newImages: readonly ImageBytes[];
}

/** Receives the changes of a session that must survive the process. */
export interface SessionJournal {
  /** The session has one more interaction, and its summary changed. */
  recorded(index: number, interaction: StoredInteraction, first: FirstUses): void;
  /** The reward of an interaction changed, or whether it was answered or repeated. */
  outcomeChanged(index: number, outcome: Outcome): void;
  /** Interactions have more items of channels. */
  channelsAdded(added: readonly AddedChannels[]): void;
  /** The state, the counts or the reward of the session changed. */
  summaryChanged(): void;
  /**
   * The data of the session was freed, and its summary changed.
   *
   * @param interactions number of interactions that were freed
   */
  freed(interactions: number): void;
  /**
   * Stores the response of an interaction (Responses API). The pieces of a long one are sealed in separate iterations of the event loop.
   *
   * @param isKept returns false if the session was freed meanwhile
   * @returns resolves when a long text was written; undefined if there is nothing to wait for
   */
  saveResponse(index: number, text: string | Iterable<string>, isKept: () => boolean): Promise<void> | undefined;
  /**
   * Reads the UTF-8 of a response; undefined if there is none.
   *
   * @throws DamagedSessionError if it is damaged
   */
  readResponse(index: number): Steps<Buffer | undefined>;
  /** Returns the JSON of a list of tools; undefined if it was not stored. */
  readTools(key: string): string | undefined;
}
