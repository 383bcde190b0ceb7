export const NO_REASONING = () => "";
const VERSION = "rolltape-1:";
/** Longer texts are not decoded: those of other servers can have megabytes. */
const MAX_LENGTH = 512;
/** @param interactionId id of the call whose answer contains the reasoning */
export const signReasoning = (interactionId) => Buffer.from(VERSION + interactionId).toString("base64url");
/** Returns the id of the call that a signature names; undefined if it is not one of Rolltape's. */
export function parseSignature(signature) {
    if (signature.length > MAX_LENGTH)
        return undefined;
    const text = Buffer.from(signature, "base64url").toString();
    return text.startsWith(VERSION) ? text.slice(VERSION.length) : undefined;
}
/** Collects the reasoning of one assistant message from its parts. */
export class SentReasoning {
    #text = "";
    #signatures = new Set();
    /** @param signature any value that the client sent as the signature */
    add(text, signature) {
        this.#text += text;
        if (typeof signature === "string")
            this.#signatures.add(signature);
    }
    /** Returns the text that the client sent; if it sent signatures only, the text that they stand for. */
    read(readReasoning) {
        const reasoning = this.#text === "" ? [...this.#signatures].map(readReasoning).join("") : this.#text;
        if (reasoning !== "")
            return { reasoning };
        return this.#signatures.size > 0 ? { hasUnknownReasoning: true } : {};
    }
}
//# sourceMappingURL=reasoning-signature.js.map