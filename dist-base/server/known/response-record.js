import { RawJson, writeJson } from "../../protocols/raw-json.js";
import { parseSpelled, stringifySpelled } from "../../support/json/spelled.js";
import { Base64Json } from "./base64-json.js";
import { decodeBase64, STEP_BYTES, splitBase64 } from "./split-base64.js";
/**
 * Returns the text form of a response, and the JSON of its tools.
 *
 * @param earlier the tools of an earlier response of the session, and the index of its interaction
 */
export function encodeResponse({ answer, echo }, earlier) {
    const { tokens: _, parts, ...answerFields } = answer;
    const { tools: toolList, ...echoFields } = echo;
    const tools = stringifySpelled(toolList);
    const fields = {
        answer: answerFields,
        parts: parts.map(encodePart),
        echo: stringifySpelled(echoFields),
        tools: tools === earlier?.tools ? earlier.index : tools,
    };
    return { text: writeJson(fields), tools };
}
/**
 * Decodes the JSON of a response in steps.
 *
 * @param readEarlier returns the JSON of another response of the session
 */
export function* decodeResponse(bytes, readEarlier, tokenJson) {
    const { fields, base64 } = yield* readFields(bytes);
    const { answer, parts: storedParts, echo, tools } = fields;
    const parts = [];
    for (const part of storedParts)
        parts.push(yield* decodePart(part, base64, tokenJson));
    const toolText = typeof tools === "string" ? tools : yield* readTools(yield* readEarlier(tools));
    const spelled = { ...parseSpelled(echo), tools: parseSpelled(toolText) };
    return { answer: { ...answer, parts, tokens: undefined }, echo: spelled };
}
/** Parses all fields except base64, of which the fields have the index. */
function* readFields(bytes) {
    const { json, base64 } = yield* splitBase64(bytes);
    return { fields: JSON.parse(json), base64 };
}
function* readTools(bytes) {
    const tools = bytes && (yield* readFields(bytes)).fields.tools;
    return typeof tools === "string" ? tools : "[]";
}
function encodePart(part) {
    if (part.type !== "text" || part.logprobs === undefined)
        return part;
    const { logprobs } = part;
    return {
        ...part,
        logprobs: logprobs instanceof RawJson ? { json: logprobs.text } : { runs: logprobs.map(encodeRun) },
    };
}
function* decodePart(part, base64, tokenJson) {
    if (part.type !== "text" || part.logprobs === undefined)
        return part;
    const { logprobs } = part;
    if ("json" in logprobs)
        return { ...part, logprobs: new RawJson(logprobs.json) };
    return { ...part, logprobs: yield* decodeRuns(logprobs.runs, base64, tokenJson) };
}
function encodeRun({ ids, logprobs, top }) {
    const alternatives = top && {
        width: top.width,
        ids: new Base64Json(top.ids),
        logprobs: new Base64Json(top.logprobs),
    };
    return { ids: new Base64Json(ids), logprobs: new Base64Json(logprobs), top: alternatives };
}
function* decodeRuns(stored, base64, tokenJson) {
    const runs = [];
    // Of a streamed answer there are many short runs, of which one step decodes several.
    let inStep = 0;
    function* decode(index) {
        const text = base64[index] ?? Buffer.alloc(0);
        if (inStep > 0 && inStep + text.length > STEP_BYTES) {
            yield;
            inStep = 0;
        }
        inStep += text.length;
        return yield* decodeBase64(text);
    }
    for (const { ids, logprobs, top } of stored) {
        const alternatives = top && {
            width: top.width,
            ids: new Int32Array(yield* decode(top.ids)),
            logprobs: new Float32Array(yield* decode(top.logprobs)),
        };
        runs.push({
            ids: new Int32Array(yield* decode(ids)),
            logprobs: new Float32Array(yield* decode(logprobs)),
            top: alternatives,
            tokenJson,
        });
    }
    return runs;
}
//# sourceMappingURL=response-record.js.map