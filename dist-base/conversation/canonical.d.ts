import { type Steps } from "../support/async/steps.js";
import type { Message } from "./message.js";
import { type MessageFilter } from "./text-filter.js";
/**
 * Returns the canonical form of messages, by which conversations are compared: one string per message.
 *
 * Two strings are equal exactly if these are equal: the role, the text without trailing white space, the name and the
 * arguments (as JSON values) of each tool call, and the `tool_call_id` of a tool result. Reasoning, call ids and `name` are ignored, because agents
 * drop or add them between turns. `system` and `developer` are different roles: a template may show them differently.
 *
 * @param filters every match is removed from the text before the comparison
 */
export declare function canonicalMessages(messages: readonly Message[], filters: readonly MessageFilter[]): string[];
/** {@link canonicalMessages} in steps, for calls with tens of thousands of values in their arguments. */
export declare function canonicalMessagesInSteps(messages: readonly Message[], filters: readonly MessageFilter[]): Steps<string[]>;
