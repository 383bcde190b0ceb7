/**
 * Markers that end the current text. Markers that are tokens of the vocabulary are found by id, others by their text.
 */
export declare class Markers {
    #private;
    /** @param isToken returns true if the vocabulary has an added token with this spelling */
    constructor(spellings: readonly string[], isToken: (spelling: string) => boolean);
    hasToken(spelling: string): boolean;
    /**
     * Finds the first marker in a text; of several at one place, the longest. Without one, finds where a marker may begin.
     *
     * @param whole the text is complete, so a marker at its end is complete too
     */
    search(text: string, whole: boolean): {
        readonly at: number;
        readonly marker: string | undefined;
    };
}
