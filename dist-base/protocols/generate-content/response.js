import { z } from "zod";
import { sumTokens } from "../generation-answer.js";
import { RawJson } from "../raw-json.js";
import { signReasoning } from "../reasoning-signature.js";
import { AverageLogprob, logprobsResult, toLogprobsResult } from "./logprobs-result.js";
const usage = z.object({
    promptTokenCount: z.int(),
    candidatesTokenCount: z.int().describe("Generated tokens without those of the reasoning."),
    thoughtsTokenCount: z.int(),
    cachedContentTokenCount: z.int().describe("Prompt tokens that were in the engine's cache."),
    totalTokenCount: z.int(),
});
const part = z.object({
    text: z.string().optional(),
    thought: z.literal(true).optional(),
    functionCall: z.object({ id: z.string(), name: z.string(), args: z.unknown() }).optional(),
    thoughtSignature: z.string().optional().describe("Names the call. Send it back to keep the reasoning."),
});
const finishReason = z.enum(["STOP", "MAX_TOKENS"]);
const candidate = z.object({
    content: z.object({ role: z.literal("model"), parts: z.array(part) }),
    finishReason: finishReason.optional(),
    index: z.int(),
    interactionId: z.string().optional().describe("The interaction of this candidate, for /rl/set_reward."),
    avgLogprobs: z.number().optional(),
    logprobsResult: logprobsResult.optional(),
});
export const generateContentResponseSchema = z.object({
    candidates: z.array(candidate),
    usageMetadata: usage.optional(),
    modelVersion: z.string(),
    responseId: z.string().describe("The interaction id of the first candidate, for /rl/set_reward."),
});
/**
 * @param includeThoughts if true, the answer contains the reasoning
 * @param others the answers of the further candidates
 */
export function toGenerateContentResponse(answer, includeThoughts, others = []) {
    const candidates = [answer, ...others].map((each, index) => toWholeCandidate(each, includeThoughts, index));
    return toResponse(answer, candidates, sumUsage(answer, others));
}
function toWholeCandidate(answer, includeThoughts, index) {
    const { tokens, interactionId } = answer;
    const average = new AverageLogprob();
    if (tokens)
        average.add(tokens);
    const parts = toParts(answer, includeThoughts);
    return {
        finishReason: toFinishReason(answer),
        interactionId,
        ...toCandidate(parts, index),
        ...(tokens ? { avgLogprobs: average.value, logprobsResult: toLogprobsResult([tokens]) } : {}),
    };
}
/** Returns a response with these candidates: a whole answer or a chunk of a stream. */
export function toResponse({ interactionId, model }, candidates, usageMetadata) {
    return {
        candidates,
        ...(usageMetadata ? { usageMetadata } : {}),
        modelVersion: model,
        responseId: interactionId,
    };
}
export function toCandidate(parts, index) {
    return { content: { role: "model", parts }, index };
}
export function toFinishReason({ finishReason: reason }) {
    return reason === "length" ? "MAX_TOKENS" : "STOP";
}
/** Returns the usage of a call. The prompt counts once, however many candidates there are. */
export function sumUsage(answer, others = []) {
    const { promptTokens, cachedTokens } = answer;
    const { completionTokens, reasoningTokens } = sumTokens([answer, ...others]);
    return {
        promptTokenCount: promptTokens,
        candidatesTokenCount: completionTokens - reasoningTokens,
        thoughtsTokenCount: reasoningTokens,
        cachedContentTokenCount: cachedTokens,
        totalTokenCount: promptTokens + completionTokens,
    };
}
/** Returns the parts of an answer. It ends with a signed text or with a call, which is signed, too. */
function toParts({ parts, interactionId }, includeThoughts) {
    const signature = signReasoning(interactionId);
    const shown = parts.filter(({ type }) => includeThoughts || type !== "reasoning");
    const written = shown.map((each) => toPart(each, signature));
    switch (shown.at(-1)?.type) {
        case "tool_call":
            return written;
        case "text":
            return [...written.slice(0, -1), { ...written.at(-1), thoughtSignature: signature }];
        case "reasoning":
        case undefined:
            return [...written, endOfText(signature)];
    }
}
function toPart(part, signature) {
    switch (part.type) {
        case "text":
            return { text: part.text };
        case "reasoning":
            return { text: part.text, thought: true, thoughtSignature: signature };
        case "tool_call":
            return toCallPart(part, signature);
    }
}
/** Returns a signed, empty text. It ends answers without text: some SDKs drop a turn whose content has no parts. */
export function endOfText(signature) {
    return { text: "", thoughtSignature: signature };
}
export function toCallPart({ id, name, arguments: text }, signature) {
    return { functionCall: { id, name, args: readArgs(text) ?? {} }, thoughtSignature: signature };
}
/** Returns the arguments of a call as the model wrote them; undefined if they are incomplete. */
export function readArgs(text) {
    try {
        JSON.parse(text);
        return new RawJson(text);
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=response.js.map