import { findWholeOutput, isReasoningFamily, REASONING_FAMILIES, TOOL_FAMILIES, } from "./family-lookup.js";
/** Returns true if the template or the vocabulary contains a marker. */
export function hasMarker({ template, isAdded }, marker) {
    return isAdded(marker) || template.includes(marker);
}
/** Chooses the families of calls and of reasoning: the configured ones, otherwise those detected in the model folder. */
export function chooseFamilies(choice, signs) {
    const { toolCallParser = "auto", reasoningParser = "auto" } = choice;
    const tools = toolCallParser === "auto" ? detectTools(signs) : toolCallParser;
    const reasoning = reasoningParser === "auto" ? detectReasoning(signs, tools) : reasoningParser;
    return { tools, reasoning };
}
/** Tries families with unique texts first, then families whose texts others share, then `model_type`. */
function detectTools({ template, modelType = "" }) {
    return (findTools((detection) => !detection.isShared && matchesTemplate(template, detection)) ??
        findTools((detection) => matchesTemplate(template, detection)) ??
        findTools(({ modelTypes = [] }) => modelTypes.includes(modelType)) ??
        "none");
}
/** Returns true if a chat template has the texts by which a family is detected. */
export function matchesTemplate(template, detection) {
    const has = (text) => template.includes(text);
    const { otherTemplate } = detection;
    const isMatch = detection.template.every(has) || (otherTemplate !== undefined && otherTemplate.every(has));
    return isMatch && !detection.templateLacks?.some(has);
}
function findTools(test) {
    for (const [name, { calls }] of TOOL_FAMILIES)
        if (calls && test(calls.detection))
            return name;
    return undefined;
}
/** Tries markers of a single family first. If several families share the markers, the family of the calls decides. */
function detectReasoning(signs, tools) {
    const whole = findWholeOutput(tools)?.name;
    if (isReasoningFamily(whole))
        return whole;
    const has = (marker) => hasMarker(signs, marker);
    const own = findReasoning(false, has);
    if (own !== undefined)
        return own;
    const shared = findReasoning(true, has);
    if (shared === undefined)
        return "none";
    const usual = tools === "none" ? undefined : thinksLike(TOOL_FAMILIES.get(tools));
    return isReasoningFamily(usual) ? usual : shared;
}
function findReasoning(isShared, has) {
    for (const [name, { reasoning }] of REASONING_FAMILIES) {
        const detection = reasoning?.detection;
        if (detection && (detection.isShared ?? false) === isShared && detection.markers.some(has))
            return name;
    }
    return undefined;
}
function thinksLike(family) {
    return family === undefined || "output" in family ? undefined : family.calls?.thinksLike;
}
//# sourceMappingURL=choose-families.js.map