import { parsePythonLiteral } from "../reader/python-literal.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName } from "./call-header.js";
import { readExpression } from "./python-call.js";
const NAME = /^[\p{L}\p{N}_.-]*/u;
const MAX_NAME = 256;
const SPACE = /^[ \t\r\n]*/;
const QUOTES = ['"', "'"];
/** Text of a string up to a quote or a backslash. */
const TEXT = { '"': /^[^"\\]*/, "'": /^[^'\\]*/ };
/**
 * Reads a call in Python's syntax whose strings may contain unescaped quotes and line breaks: a quote ends a string only
 * if another argument or the end of the call follows. The function's name is not checked against the tools.
 *
 * @param end the marker after the calls
 * @returns true if the call is well formed
 */
export function* readLoosePythonCall(reader, call, end) {
    yield* reader.skipSpace();
    const name = parseCallName(yield* reader.takeWhile(NAME, MAX_NAME));
    if (name === undefined || !(yield* reader.accept("(")))
        return false;
    call.setName(name);
    const writer = new ArgumentWriter(call);
    yield* reader.skipSpace();
    if (yield* reader.accept(")"))
        return true;
    let next = yield* readKey(reader);
    while (typeof next === "object") {
        const argument = yield* readArgument(reader, end);
        if (argument.json === undefined)
            return false;
        writer.add(next.key, argument.json);
        next = argument.next;
    }
    writer.end();
    return next === "end";
}
function* readArgument(reader, end) {
    yield* reader.skipSpace();
    for (const quote of QUOTES) {
        if ((yield* reader.at(quote)) && !(yield* reader.at(quote.repeat(3))))
            return yield* readString(reader, quote, end);
    }
    const json = parsePythonLiteral(yield* readExpression(reader));
    return { json, next: (yield* readNext(reader, end)).next };
}
/** Reads a string. A quote after which neither an argument nor the end of the call comes is a part of it. */
function* readString(reader, quote, end) {
    reader.take(1);
    let body = "";
    for (;;) {
        body += escapeBreaks(yield* reader.takeWhile(TEXT[quote], Number.POSITIVE_INFINITY));
        if (yield* reader.accept("\\")) {
            body += `\\${(yield* reader.ready()) ? reader.take(1) : ""}`;
        }
        else if (yield* reader.accept(quote)) {
            const { next, written } = yield* readNext(reader, end);
            if (next !== undefined)
                return { json: parsePythonLiteral(quote + body + quote), next };
            body += `\\${quote}${escapeBreaks(written)}`;
        }
        else
            return { json: undefined, next: undefined };
    }
}
const escapeBreaks = (text) => text.replaceAll("\n", "\\n");
/** Reads what follows an argument, and returns its text. */
function* readNext(reader, end) {
    let written = yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY);
    if (yield* reader.accept(")")) {
        written += `)${yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY)}`;
        const character = yield* reader.peek();
        const isEnd = character === undefined || "],".includes(character) || (yield* reader.at(end));
        return { next: isEnd ? "end" : undefined, written };
    }
    if (!(yield* reader.accept(",")))
        return { next: undefined, written };
    written += `,${yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY)}`;
    const key = yield* reader.takeWhile(NAME, MAX_NAME);
    const space = yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY);
    written += key + space;
    const isKey = key !== "" && (yield* reader.accept("="));
    return { next: isKey ? { key } : undefined, written };
}
function* readKey(reader) {
    const key = yield* reader.takeWhile(NAME, MAX_NAME);
    yield* reader.skipSpace();
    return key !== "" && (yield* reader.accept("=")) ? { key } : undefined;
}
//# sourceMappingURL=loose-python-call.js.map