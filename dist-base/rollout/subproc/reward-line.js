import { StringDecoder } from "node:string_decoder";
/** Maximum number of characters of a line that is read as a reward. */
const LONGEST_LINE = 1 << 20;
/**
 * Finds the reward in a program's standard output: the value of the last line `{"reward": …}`, else the last line that
 * is not empty, if it is a JSON number or object.
 */
export class RewardLine {
    #decoder = new StringDecoder("utf8");
    #line = "";
    #marked;
    /** The value of the last line; undefined if it is not JSON. */
    #last;
    #numbers = 0;
    constructor(stream) {
        stream.on("data", (chunk) => this.#add(this.#decoder.write(chunk)));
        // Without a listener, a broken pipe would be an uncaught error. The end of the process explains it.
        stream.on("error", () => { });
    }
    /** Returns the reward. Call it when the output has ended. */
    end() {
        this.#add(`${this.#decoder.end()}\n`);
        if (this.#marked)
            return { value: this.#marked.reward, otherNumbers: 0 };
        const otherNumbers = typeof this.#last === "number" ? this.#numbers - 1 : this.#numbers;
        return { value: this.#last, otherNumbers };
    }
    #add(text) {
        const lines = text.split("\n");
        const rest = lines.pop() ?? "";
        for (const line of lines) {
            this.#append(line);
            this.#read();
            this.#line = "";
        }
        this.#append(rest);
    }
    /** Keeps one character more than the limit, so that a line that is too long can be recognized. */
    #append(text) {
        if (this.#line.length <= LONGEST_LINE)
            this.#line += text.slice(0, LONGEST_LINE + 1);
    }
    #read() {
        if (this.#line.trim() === "")
            return;
        this.#last = this.#line.length > LONGEST_LINE ? undefined : parseReward(this.#line);
        if (typeof this.#last === "number")
            this.#numbers++;
        if (isMarked(this.#last))
            this.#marked = this.#last;
    }
}
/** Returns a JSON number or object; undefined for a line of another kind. */
function parseReward(line) {
    if (!/^\s*[-\d{]/.test(line))
        return undefined;
    try {
        return JSON.parse(line);
    }
    catch {
        return undefined;
    }
}
function isMarked(value) {
    return typeof value === "object" && value !== null && Object.keys(value).join() === "reward";
}
//# sourceMappingURL=reward-line.js.map