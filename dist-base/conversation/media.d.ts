/** Parts of a message that a text model cannot see, and the text that stands for them. */
export type MediaKind = "image" | "file" | "audio";
/** Returns the text that stands for a part. The form is fixed, because prompts and recorded tokens contain it. */
export declare const toPlaceholder: (kind: MediaKind) => string;
/** A part that is not text. */
export interface MediaPart {
    /** Index among the parts of its content. */
    readonly index: number;
    /** Type of the part, as its API names it. */
    readonly type: string;
}
/** A content whose text has a placeholder for each of the other parts. */
export interface ContentWithMedia {
    readonly text: string;
    readonly media: readonly MediaPart[];
}
export type ShownContent = string | ContentWithMedia;
export declare const readText: (content: ShownContent) => string;
export declare const listMedia: (content: ShownContent | null | undefined) => readonly MediaPart[];
/**
 * Joins the texts of parts, with a placeholder in the place of every other part.
 *
 * @param read returns the text of a part, or its kind if it is not text
 */
export declare function joinParts<P extends {
    readonly type: string;
}>(parts: readonly P[], read: (part: P) => {
    readonly text: string;
} | {
    readonly kind: MediaKind;
}): ShownContent;
