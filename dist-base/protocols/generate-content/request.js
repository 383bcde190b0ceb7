import { z } from "zod";
import { listOf } from "../../support/schema/list-of.js";
import { checkChoices } from "../choices.js";
import { engineSampling, readEngineSampling } from "../engine-sampling.js";
import { isEmpty, MAX_MODEL_LENGTH, noEffect, requestedModel, unsupported } from "../fields.js";
import { countPlaceholders } from "../image-policy.js";
import { NO_REASONING, parseSignature } from "../reasoning-signature.js";
import { RequestError } from "../request-error.js";
import { leaveOut } from "../server-tools.js";
import { splitPrefill } from "../split-prefill.js";
import { requiresCall, toTemplateChoice } from "../tool-choice.js";
import { contents, systemInstruction } from "./contents.js";
import { checkGenerationConfig, generationConfig, readStructure, toSampling, toThinkingArgs, } from "./generation-config.js";
import { listMediaFields } from "./list-media.js";
import { findLastSignature, toMessages } from "./messages.js";
import { protoObject } from "./proto-json.js";
import { findStrayNames, listServerTools, listShownTools, NAMES_PARAM, readCallRules, toolFields, toToolChoice, } from "./tools.js";
/** The bodies of POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens. */
// `generationConfig` has its own seed.
const { seed: _, ...ownSampling } = engineSampling;
const safetySetting = protoObject({ category: z.string(), threshold: z.string(), method: z.string().optional() });
/** Schema of a field that is checked, but not kept, because it cannot change the answer. */
const checked = (schema) => schema.transform(() => undefined).optional();
export const generateContentSchema = protoObject({
    contents,
    systemInstruction: systemInstruction.optional(),
    ...toolFields,
    generationConfig: generationConfig.optional(),
    ...ownSampling,
    cachedContent: unsupported("cachedContent"),
    continuationToken: unsupported("continuationToken"),
    generationOutputConfig: unsupported("generationOutputConfig"),
    model: checked(requestedModel).describe("The path names the model."),
    safetySettings: checked(listOf(safetySetting)),
    labels: checked(z.record(z.string(), z.string())),
    serviceTier: noEffect,
    store: noEffect,
    modelArmorConfig: noEffect,
});
export const countTokensSchema = protoObject({
    contents: contents.optional(),
    generateContentRequest: generateContentSchema.optional(),
    model: checked(requestedModel),
}).refine(({ contents: own, generateContentRequest: whole }) => (own === undefined) !== (whole === undefined), "The request must have either contents or generateContentRequest.");
export function parseGenerateContent(request, context) {
    const { model, stream, readReasoning } = context;
    const { generationConfig: config = {} } = request;
    if (model.length > MAX_MODEL_LENGTH) {
        throw new RequestError("model", `The name of the model must have at most ${MAX_MODEL_LENGTH} characters.`);
    }
    checkGenerationConfig(config);
    checkChoices(config.candidateCount, "generationConfig.candidateCount", context);
    const policies = applyPolicies(request, context);
    const conversation = toConversation(request, readReasoning);
    return {
        model,
        conversation,
        previousId: readPreviousId(request),
        sampling: { ...toSampling(config), ...readEngineSampling(request) },
        calls: readCallRules(request, conversation.tools ?? []),
        choices: config.candidateCount,
        logprobs: config.responseLogprobs === true ? "all" : "none",
        stream,
        ...policies,
        includeThoughts: config.thinkingConfig?.includeThoughts ?? false,
    };
}
/** @throws RequestError for a part or a tool that a policy refuses */
export function applyPolicies(request, { serverTools, images }) {
    return {
        droppedTools: leaveOut(listServerTools(request), serverTools),
        placeholders: countPlaceholders(listMediaFields(request.contents), images),
    };
}
/** Returns the whole request whose tokens are counted. */
export function toCountedRequest({ contents: own = [], generateContentRequest: whole }) {
    return whole ?? { contents: own };
}
function readPreviousId(request) {
    const signature = findLastSignature(request.contents);
    return signature === undefined ? undefined : parseSignature(signature);
}
export function toConversation(request, readReasoning = NO_REASONING) {
    const stray = findStrayNames(request);
    if (stray.length > 0)
        throw new RequestError(NAMES_PARAM, `${NAMES_PARAM} requires the mode ANY or VALIDATED.`);
    const { generationConfig: config = {} } = request;
    const messages = toMessages(request.systemInstruction, request.contents, readReasoning);
    const prefilled = splitPrefill(messages, "contents");
    const choice = toToolChoice(request);
    if (prefilled.prefill !== undefined && (requiresCall(choice) || readStructure(config))) {
        const message = "contents: a last content of the model, which is continued, cannot be combined with a required call or JSON.";
        throw new RequestError("contents", message);
    }
    const tools = listShownTools(request);
    const templateArgs = {
        ...toThinkingArgs(config),
        ...request.chat_template_kwargs,
        ...(tools.length > 0 && choice !== undefined ? { tool_choice: toTemplateChoice(choice) } : {}),
    };
    return {
        ...prefilled,
        ...(tools.length > 0 ? { tools } : {}),
        ...(isEmpty(templateArgs) ? {} : { templateArgs }),
    };
}
//# sourceMappingURL=request.js.map