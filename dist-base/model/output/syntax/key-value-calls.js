import { parameterTypes } from "../tool-schema.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName, readUpTo } from "./call-header.js";
import { framedCalls } from "./framed-calls.js";
const RULES = { untyped: "json", nullForStrings: false };
/** Returns the syntax of calls with key-value pairs. */
export function keyValueCalls(syntax) {
    const { section, begin, end, nameEnd, key, value } = syntax;
    const tags = [key.begin, key.end, value.begin, value.end];
    return framedCalls({
        ...(section ? { section } : {}),
        begin,
        end,
        inner: nameEnd === undefined ? tags : [nameEnd, ...tags],
        body: (context, call) => readCall(context, call, syntax),
    });
}
function* readCall({ reader, tools }, call, syntax) {
    const { section, begin, nameEnd, key, end } = syntax;
    const header = yield* readUpTo(reader, [nameEnd ?? key.begin, end]);
    const name = parseCallName(header?.text ?? "");
    if (name === undefined)
        return false;
    if (nameEnd !== undefined && !(yield* reader.accept(nameEnd)))
        return false;
    call.setName(name);
    const writer = new ArgumentWriter(call);
    for (;;) {
        yield* reader.skipSpace();
        if (!(yield* reader.accept(key.begin)))
            break;
        const pair = yield* readPair({ reader }, syntax);
        if (pair === undefined)
            return false;
        writer.addText(pair.key, pair.value, parameterTypes(tools.get(name), pair.key), RULES);
    }
    writer.end();
    for (const tag of [end, section?.end, begin])
        if (tag !== undefined && (yield* reader.at(tag)))
            return true;
    return yield* reader.atWholeEnd();
}
/** Reads a pair whose first tag is taken. */
function* readPair({ reader }, { key, value, end }) {
    const name = yield* readUpTo(reader, [key.end, end]);
    if (name?.marker !== key.end)
        return undefined;
    reader.skip(key.end);
    yield* reader.skipSpace();
    if (!(yield* reader.accept(value.begin)))
        return undefined;
    const written = yield* readUpTo(reader, [value.end]);
    if (written === undefined)
        return undefined;
    reader.skip(value.end);
    return { key: name.text.trim(), value: written.text };
}
//# sourceMappingURL=key-value-calls.js.map