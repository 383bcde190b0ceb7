import { addToParts } from "../../protocols/output-parts.js";
import { turns } from "../../support/async/turns.js";
import { TokenSlices } from "./token-slices.js";
/** Number of tokens that take about two milliseconds to decode and parse. */
const MAX_PARSED_AT_ONCE = 4096;
/**
 * Reads a generation while it grows. Tokens for which the sink has no room stay in native memory as numbers. A client that
 * reads slowly therefore costs little more memory than one that waits for its whole answer.
 */
export class OutputReader {
    #options;
    #slices;
    #parts = [];
    #openedParser;
    /** Maximum number of tokens that are read in one iteration of the event loop. */
    #maxSlice;
    /** The same in an iteration in which the readers of other choices may read too. */
    #sharedSlice;
    /** Number of tokens that were read. */
    #position = 0;
    #finished = false;
    constructor(options) {
        this.#options = options;
        this.#slices = new TokenSlices(options.model, options.generation);
        this.#maxSlice = Math.min(MAX_PARSED_AT_ONCE, options.sink ? options.maxTokens : MAX_PARSED_AT_ONCE);
        this.#sharedSlice = Math.max(1, Math.floor(this.#maxSlice / (options.readers ?? 1)));
    }
    /** Writes new tokens to the sink, if it has room. */
    advance() {
        if (this.#options.sink?.hasRoom)
            this.#readSlice(this.#sharedSlice);
    }
    /** Reads all new tokens except some of the last, in slices: the event loop runs between them. Writes them to the sink. */
    async catchUp() {
        const isShared = this.#sharedSlice < this.#maxSlice;
        while (this.#options.generation.length - this.#position > this.#sharedSlice) {
            // The other choices may have been completed in this iteration, too.
            if (isShared)
                await turns.next();
            this.#readSlice(this.#maxSlice);
            if (!isShared)
                await turns.next();
        }
    }
    #readSlice(limit) {
        const { sink, generation } = this.#options;
        if (this.#finished || generation.length === this.#position)
            return;
        const tokens = this.#newTokens(limit);
        const events = this.#readEvents(limit);
        if (events.length > 0 || tokens)
            sink?.write(events, tokens);
    }
    /** Reads to the end. The reader does not use the generation afterwards. */
    finish(finish) {
        this.#finished = true;
        const unsentTokens = this.#newTokens();
        const unsentEvents = this.#readEvents();
        const { events, output } = this.#parser.finish(finish.reason);
        unsentEvents.push(...this.#addParts(events));
        return { parts: this.#parts, unsentEvents, unsentTokens, ...output };
    }
    /** @param limit maximum number of tokens to read */
    #readEvents(limit = Number.POSITIVE_INFINITY) {
        const ids = this.#options.generation.ids(this.#position).subarray(0, limit);
        this.#position += ids.length;
        return this.#addParts(this.#parser.push(ids));
    }
    get #parser() {
        this.#openedParser ??= this.#options.openParser();
        return this.#openedParser;
    }
    /** Adds the events to the parts of the answer, and returns them with log probabilities if the request wants them. */
    #addParts(outputEvents) {
        const events = outputEvents.map((event) => this.#withLogprobs(event));
        for (const event of events)
            addToParts(this.#parts, event);
        return events;
    }
    /** The parser may return a text late, so its tokens are read from the generation, which keeps all of them. */
    #withLogprobs(event) {
        if (event.type !== "text" || event.tokens === undefined)
            return event;
        const { from, to } = event.tokens;
        return { type: "text", text: event.text, logprobs: [this.#slices.read(from, to)] };
    }
    /** Returns the tokens that {@link #readEvents} reads next; undefined if the request does not want them. */
    #newTokens(limit = Number.POSITIVE_INFINITY) {
        const { wantsTokens, generation } = this.#options;
        const end = Math.min(generation.length, this.#position + limit);
        return wantsTokens ? this.#slices.read(this.#position, end) : undefined;
    }
}
//# sourceMappingURL=output-reader.js.map