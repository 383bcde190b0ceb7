import { AverageLogprob, toLogprobsResult } from "./logprobs-result.js";
import { endOfText, readArgs, toCallPart } from "./response.js";
/** Turns the events of one candidate of a stream into parts. A function call becomes a part once it is complete. */
export class CandidateParts {
    #signature;
    #includeThoughts;
    #average = new AverageLogprob();
    /** A call whose arguments are incomplete. */
    #call;
    /** True if the last part was reasoning. Only the first of consecutive reasoning parts is signed. */
    #thinking = false;
    /** Tokens whose log probabilities were not sent yet. */
    #tokens = [];
    /** @param signature names the call */
    constructor(signature, includeThoughts) {
        this.#signature = signature;
        this.#includeThoughts = includeThoughts;
    }
    push(events, tokens) {
        if (tokens) {
            this.#average.add(tokens);
            this.#tokens.push(tokens);
        }
        const parts = [];
        for (const event of events)
            this.#addEvent(parts, event);
        return parts;
    }
    /** Returns the last parts, which end with a signed, empty text. */
    finish() {
        const parts = [];
        this.#endCall(parts);
        return [...parts, endOfText(this.#signature)];
    }
    /** Returns the log probabilities that were not taken yet. */
    takeLogprobs() {
        const tokens = this.#tokens;
        this.#tokens = [];
        return tokens.length === 0 ? {} : { logprobsResult: toLogprobsResult(tokens) };
    }
    get average() {
        const { value } = this.#average;
        return value === undefined ? {} : { avgLogprobs: value };
    }
    /** Adds an event to the parts of a chunk: extends the last part or appends a new one. */
    #addEvent(parts, event) {
        switch (event.type) {
            case "text":
                this.#endCall(parts);
                this.#thinking = false;
                addText(parts, { text: event.text });
                break;
            case "reasoning":
                this.#endCall(parts);
                if (this.#includeThoughts)
                    addText(parts, { text: event.text, thought: true, ...this.#signFirstThought() });
                break;
            case "tool_call":
                this.#endCall(parts);
                this.#thinking = false;
                this.#call = { id: event.id, name: event.name, arguments: "" };
                break;
            case "tool_call_arguments":
                if (this.#call)
                    this.#call = { ...this.#call, arguments: this.#call.arguments + event.text };
                // An incomplete object is never valid JSON, so these arguments are complete.
                if (this.#call && readArgs(this.#call.arguments))
                    this.#endCall(parts);
                break;
        }
    }
    #signFirstThought() {
        if (this.#thinking)
            return {};
        this.#thinking = true;
        return { thoughtSignature: this.#signature };
    }
    #endCall(parts) {
        if (this.#call)
            parts.push(toCallPart(this.#call, this.#signature));
        this.#call = undefined;
    }
}
/** Joins consecutive texts of the same kind into one part. */
function addText(parts, added) {
    const last = parts.at(-1);
    if (last?.text === undefined || last.thought !== added.thought)
        parts.push(added);
    else
        parts[parts.length - 1] = { ...last, text: `${last.text}${added.text}` };
}
//# sourceMappingURL=candidate-parts.js.map