import { matchesPattern } from "../../support/match-pattern.js";
/** Decides by the requested model whether the policy or an upstream answers a call. */
export class UpstreamRules {
    #rules;
    #servedModel;
    /** @param servedModel name of the served model. The policy answers it even if a rule matches it. */
    constructor(rules, servedModel) {
        this.#rules = rules;
        this.#servedModel = servedModel;
    }
    /** Returns the first rule for a model; undefined if the policy answers it. */
    find(model) {
        if (typeof model !== "string" || model === this.#servedModel)
            return undefined;
        return this.#rules.find(({ models }) => models.some((pattern) => matchesPattern(model, pattern)));
    }
    /** Returns the rule for the `model` of a request's body. */
    findForBody(body) {
        return typeof body === "object" && body !== null && "model" in body ? this.find(body.model) : undefined;
    }
    /** Returns the model names that upstreams answer. Patterns are left out, because they are no names. */
    listNames() {
        const names = this.#rules.flatMap(({ models }) => models).filter((name) => !name.includes("*"));
        return [...new Set(names)].filter((name) => this.find(name)?.refuse === false);
    }
}
//# sourceMappingURL=upstream-rules.js.map