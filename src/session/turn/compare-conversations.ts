import { canonicalMessages } from "../../conversation/canonical.js";
import { isSystem, type Message } from "../../conversation/message.js";
import type { MessageFilter } from "../../conversation/text-filter.js";

/** Returns true if both are equal, as the search for a parent compares messages. */
export function isSameConversation(
  one: readonly Message[],
  other: readonly Message[],
  filters: readonly MessageFilter[],
): boolean {
  const [a, b] = [canonicalMessages(one, filters), canonicalMessages(other, filters)];
  return a.length === b.length && startsWith(b, a);
}

/**
 * Returns true if `now` is longer than `before` and begins with it, system messages at the start aside. `before` must have
 * other messages too.
 */
export function continuesExceptSystem(
  before: readonly Message[],
  now: readonly Message[],
  filters: readonly MessageFilter[],
): boolean {
  const [a, b] = [before, now].map((messages) => canonicalMessages(withoutSystem(messages), filters));
  return a !== undefined && b !== undefined && a.length > 0 && a.length < b.length && startsWith(b, a);
}

function startsWith(messages: readonly string[], start: readonly string[]): boolean {
  return start.every((message, i) => message === messages[i]);
}

function withoutSystem(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex((message) => !isSystem(message));
  return first < 0 ? [] : messages.slice(first);
}
