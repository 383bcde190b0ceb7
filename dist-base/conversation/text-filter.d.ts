/** Removes volatile text, such as a time stamp, before messages are compared. */
export interface TextFilter {
    /** Returns the text without every match. */
    removeMatches(text: string): string;
}
/** A filter of messages: every match of a regular expression is removed, or what the object says. */
export type MessageFilter = RegExp | TextFilter;
/** Returns the filters as objects. An expression without the flag `g` gets it, because every match must be removed. */
export declare function toTextFilters(filters: readonly MessageFilter[]): TextFilter[];
