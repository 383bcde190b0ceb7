import { type Message } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
/** Returns true if both are equal, as the search for a parent compares messages. */
export declare function isSameConversation(one: readonly Message[], other: readonly Message[], filters: readonly MessageFilter[]): boolean;
/**
 * Returns true if `now` is longer than `before` and begins with it, system messages at the start aside. `before` must have
 * other messages too.
 */
export declare function continuesExceptSystem(before: readonly Message[], now: readonly Message[], filters: readonly MessageFilter[]): boolean;
