import type { UpstreamRule } from "../../config/index.js";
/** Decides by the requested model whether the policy or an upstream answers a call. */
export declare class UpstreamRules {
    #private;
    /** @param servedModel name of the served model. The policy answers it even if a rule matches it. */
    constructor(rules: readonly UpstreamRule[], servedModel: string);
    /** Returns the first rule for a model; undefined if the policy answers it. */
    find(model: unknown): UpstreamRule | undefined;
    /** Returns the rule for the `model` of a request's body. */
    findForBody(body: unknown): UpstreamRule | undefined;
    /** Returns the model names that upstreams answer. Patterns are left out, because they are no names. */
    listNames(): string[];
}
