import { type MediaPart } from "../conversation/media.js";
/** Refuses or replaces images, files and audio in messages and tool results. Prompts contain text only. */
export type ImagePolicy = "refuse" | "placeholder";
/** A part of a request that is not text. */
export interface MediaField {
    /** Path of the part's type, such as `messages[0].content[1].type`. */
    readonly param: string;
    readonly type: string;
    /** True if the prompt contains the part's own text, such as that of a text document. */
    readonly isText?: boolean;
}
/**
 * Returns how many parts the prompt shows as placeholders.
 *
 * @throws RequestError for the first part that is not text if the policy is "refuse"
 */
export declare function countPlaceholders(found: readonly MediaField[], policy?: ImagePolicy): number;
/** @param path path of the content, such as `messages[0].content` */
export declare const toMediaFields: (media: readonly MediaPart[], path: string) => MediaField[];
