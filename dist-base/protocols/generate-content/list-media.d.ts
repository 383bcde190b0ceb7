import type { MediaField } from "../image-policy.js";
import type { Content } from "./contents.js";
/** Returns the images and files of contents, also those of function responses. */
export declare function listMediaFields(contents: readonly Content[]): MediaField[];
