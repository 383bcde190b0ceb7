import { FAMILIES } from "./family-registry.js";
export const TOOL_FAMILIES = new Map(FAMILIES.filter((family) => "calls" in family).map((family) => [family.name, family]));
export const REASONING_FAMILIES = new Map(FAMILIES.filter((family) => "reasoning" in family).map((family) => [family.name, family]));
export function isReasoningFamily(name) {
    return REASONING_FAMILIES.has(name);
}
/** Returns the family if one reader reads its whole output; otherwise undefined. */
export function findWholeOutput(name) {
    const family = FAMILIES.find((candidate) => candidate.name === name);
    return family && "output" in family ? family : undefined;
}
/** Returns how to read a family's calls; undefined for `none` and if one reader reads the family's whole output. */
export function findCallSyntax(name) {
    return findBlockCalls(name)?.syntax;
}
/**
 * Returns the structure of a family's calls, or of its whole outputs, for an engine's grammar; undefined if no grammar
 * describes them.
 */
export function findCallStructure(name, has) {
    const whole = findWholeOutput(name);
    if (whole)
        return whole.structure;
    const structure = findBlockCalls(name)?.structure;
    return typeof structure === "function" ? structure(has) : structure;
}
/** Returns the markers of a family's reasoning; undefined if it has none or if one reader reads its whole output. */
export function findReasoningBlock(name) {
    const family = name === "none" ? undefined : REASONING_FAMILIES.get(name);
    return family === undefined || "output" in family ? undefined : family.reasoning?.block;
}
function findBlockCalls(name) {
    const family = name === "none" ? undefined : TOOL_FAMILIES.get(name);
    return family === undefined || "output" in family ? undefined : family.calls;
}
//# sourceMappingURL=family-lookup.js.map