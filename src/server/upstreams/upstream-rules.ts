import type { UpstreamRule } from "../../config/index.js";
import { matchesPattern } from "../../support/match-pattern.js";

/** Decides by the requested model whether the policy or an upstream answers a call. */
export class UpstreamRules {
  readonly #rules: readonly UpstreamRule[];
  readonly #servedModels: readonly string[];

  /** @param servedModels names of the served models. The server answers them even if a rule matches them. */
  constructor(rules: readonly UpstreamRule[], servedModels: readonly string[]) {
    this.#rules = rules;
    this.#servedModels = servedModels;
  }

  /** Returns the first rule for a model; undefined if the policy answers it. */
  find(model: unknown): UpstreamRule | undefined {
    if (typeof model !== "string" || this.#servedModels.includes(model)) return undefined;
    return this.#rules.find(({ models }) => models.some((pattern) => matchesPattern(model, pattern)));
  }

  /** Returns the rule for the `model` of a request's body. */
  findForBody(body: unknown): UpstreamRule | undefined {
    return typeof body === "object" && body !== null && "model" in body ? this.find(body.model) : undefined;
  }

  /** Returns the model names that upstreams answer. Patterns are left out, because they are no names. */
  listNames(): string[] {
    const names = this.#rules.flatMap(({ models }) => models).filter((name) => !name.includes("*"));
    return [...new Set(names)].filter((name) => this.find(name)?.refuse === false);
  }
}
