import { type Message } from "../../conversation/message.js";
/** Content of messages that stand in for others. No template contains it. */
export declare const STAND_IN_TEXT = "rolltapeStandIn";
/** Stands in for the history before a turn. */
export declare const USER: Message;
export declare const hasCalls: (message: Message) => boolean;
/** Returns the system messages at the start. Templates may read switches in them that affect later turns. */
export declare function leadingSystem(messages: readonly Message[]): readonly Message[];
/** Returns a word that occurs in none of the messages. */
export declare function makeMarker(messages: readonly Message[]): string;
/**
 * Makes answers of the same shape as this one that end with the marker: in the arguments of the calls, and for templates
 * that do not show calls, in the text.
 */
export declare function makeStandIns(answer: Message, marker: string): Message[];
/** Makes a message that follows the answer in the same role as the new message, but with other content. */
export declare function makeFollower(added: Message, answer: Message): Message;
