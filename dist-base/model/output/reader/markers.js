/**
 * Markers that end the current text. Markers that are tokens of the vocabulary are found by id, others by their text.
 */
export class Markers {
    // Arrays and no sets: there are few markers, and many open answers.
    #tokens;
    #texts;
    #firstCharacters;
    #longest;
    /** @param isToken returns true if the vocabulary has an added token with this spelling */
    constructor(spellings, isToken) {
        this.#tokens = spellings.filter(isToken);
        this.#texts = spellings.filter((spelling) => !this.#tokens.includes(spelling));
        this.#firstCharacters = this.#texts.map((text) => text.charAt(0)).join("");
        this.#longest = Math.max(0, ...this.#texts.map((text) => text.length));
    }
    hasToken(spelling) {
        return this.#tokens.includes(spelling);
    }
    /**
     * Finds the first marker in a text; of several at one place, the longest. Without one, finds where a marker may begin.
     *
     * @param whole the text is complete, so a marker at its end is complete too
     */
    search(text, whole) {
        let at = text.length;
        let marker;
        for (const candidate of this.#texts) {
            const index = text.indexOf(candidate);
            if (index < 0 || index > at || (index === at && candidate.length <= (marker?.length ?? 0)))
                continue;
            [at, marker] = [index, candidate];
        }
        return whole ? { at, marker } : this.#holdBack(text, at, marker);
    }
    /** Returns an earlier place if an earlier or longer marker may be incomplete at the end of the text. */
    #holdBack(text, found, marker) {
        for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
            if (marker !== undefined && at > found)
                break;
            if (this.#firstCharacters.includes(text.charAt(at)) && this.#mayBegin(text.slice(at)))
                return { at, marker: undefined };
        }
        return { at: found, marker };
    }
    #mayBegin(rest) {
        return this.#texts.some((text) => text.length > rest.length && text.startsWith(rest));
    }
}
//# sourceMappingURL=markers.js.map