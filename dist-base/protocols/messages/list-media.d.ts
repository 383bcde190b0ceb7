import type { MediaField } from "../image-policy.js";
import type { InputMessage } from "./input.js";
/** Returns the images and documents of messages, also those in tool results. */
export declare function listMediaFields(messages: readonly InputMessage[]): MediaField[];
