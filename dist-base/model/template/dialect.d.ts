import type { Message } from "../../conversation/message.js";
import type { Dialect } from "./message-values.js";
/** Renders a conversation in a dialect. @throws RenderError if the template refuses it */
export type Probe = (messages: readonly Message[], dialect: Dialect) => string;
/**
 * Finds out which shape of input a template expects, by rendering short conversations.
 *
 * @throws RenderError if the template refuses even a single user message
 */
export declare function detectDialect(source: string, render: Probe): Dialect;
