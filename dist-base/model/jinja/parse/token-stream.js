import { syntaxError } from "./token.js";
/** The tokens of a template, read one after the other. */
export class TokenStream {
    #source;
    #tokens;
    #index = 0;
    constructor({ source, tokens }) {
        this.#source = source;
        this.#tokens = tokens;
    }
    /** The token that is read next. */
    get current() {
        return this.#tokenAt(this.#index);
    }
    /** The token after the current one. */
    get following() {
        return this.#tokenAt(this.#index + 1);
    }
    /** Takes the current token. The end is never passed. */
    take() {
        const token = this.current;
        if (token.type !== "end")
            this.#index++;
        return token;
    }
    isOperator(...spellings) {
        return this.current.type === "operator" && spellings.includes(this.current.text);
    }
    isName(...names) {
        return this.current.type === "name" && names.includes(this.current.text);
    }
    /** Takes the current token if it is this operator. */
    acceptOperator(spelling) {
        const isAccepted = this.isOperator(spelling);
        if (isAccepted)
            this.take();
        return isAccepted;
    }
    /** Takes the current token if it is this name. */
    acceptName(name) {
        const isAccepted = this.isName(name);
        if (isAccepted)
            this.take();
        return isAccepted;
    }
    expectOperator(spelling) {
        if (!this.acceptOperator(spelling))
            throw this.unexpected(`'${spelling}'`);
    }
    expectName() {
        if (this.current.type !== "name")
            throw this.unexpected("a name");
        return this.take().text;
    }
    /** Takes the end of a tag or of an expression. */
    expectEnd(type) {
        if (this.current.type !== type)
            throw this.unexpected(type === "tag_end" ? "'%}'" : "'}}'");
        this.take();
    }
    unexpected(expected) {
        return this.error(`expected ${expected}, got ${describe(this.current)}`);
    }
    /** Returns an error that names the line of the current token. */
    error(problem) {
        return syntaxError(this.#source, this.current.at, problem);
    }
    #tokenAt(index) {
        const token = this.#tokens[Math.min(index, this.#tokens.length - 1)];
        if (token === undefined)
            throw new Error("a template has at least the token of its end");
        return token;
    }
}
function describe(token) {
    if (token.type === "end")
        return "the end of the template";
    return token.type === "data" ? "text" : `'${token.text.trim()}'`;
}
//# sourceMappingURL=token-stream.js.map