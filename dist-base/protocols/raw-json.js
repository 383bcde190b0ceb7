import { randomUUID } from "node:crypto";
import { LongJson } from "./long-json.js";
/** The values that {@link writeJson} has met so far; undefined while it does not run. */
let met;
/** A value of an answer that brings its own JSON text, which is inserted verbatim. */
export class InsertedJson {
    /** Lets plain `JSON.stringify` work, which may round numbers. */
    toJSON() {
        return met ? `${PLACEHOLDER}:${met.push(this) - 1}` : JSON.parse([...this.pieces()].join(""));
    }
}
/** A JSON text that an answer contains verbatim, so that numbers that `JSON.parse` would round keep their spelling. */
export class RawJson extends InsertedJson {
    text;
    constructor(text) {
        super();
        this.text = text;
    }
    get size() {
        return this.text.length;
    }
    get memory() {
        return this.text.length;
    }
    pieces() {
        return [this.text];
    }
}
/**
 * Replaces inserted values while the rest is written: `JSON.stringify` cannot insert text verbatim. The id is random, so no
 * text of a model or a client can contain it.
 */
const PLACEHOLDER = randomUUID();
const PLACEHOLDERS = new RegExp(`"${PLACEHOLDER}:([0-9]+)"`, "g");
/** Characters of inserted values that take about a millisecond to write. Answers with more of them are written in pieces. */
const MAX_INSERTED = 320 * 1024;
/** Like `JSON.stringify`, but writes the text of each {@link InsertedJson}. A text that is too long for one string has pieces. */
export function writeJson(value) {
    const values = [];
    met = values;
    let json;
    try {
        json = JSON.stringify(value);
    }
    finally {
        met = undefined;
    }
    if (values.length === 0)
        return json;
    const size = values.reduce((sum, each) => sum + each.size, 0);
    if (size > MAX_INSERTED)
        return new LongJson(split(json, values));
    return json.replaceAll(PLACEHOLDERS, (_, index) => [...(values[Number(index)]?.pieces() ?? [])].join(""));
}
/** Returns the JSON with the values instead of their placeholders. */
function split(json, values) {
    // The pattern captures the index, so every second item is one.
    return json.split(PLACEHOLDERS).map((text, i) => (i % 2 === 0 ? text : (values[Number(text)] ?? "null")));
}
//# sourceMappingURL=raw-json.js.map