import type { UpstreamRule } from "../../config/index.js";

/** Decides from the model that a call names whether the policy answers it. */
export class UpstreamRules {
  readonly #rules: readonly UpstreamRule[];
  readonly #servedModel: string;

  /** @param servedModel name of the served model, which is always the policy, also if a rule has it */
  constructor(rules: readonly UpstreamRule[], servedModel: string) {
    this.#rules = rules;
    this.#servedModel = servedModel;
  }

  /** Returns the first rule for a model; undefined if the policy answers it. */
  find(model: unknown): UpstreamRule | undefined {
    if (typeof model !== "string" || model === this.#servedModel) return undefined;
    return this.#rules.find(({ models }) => models.some((pattern) => matches(pattern, model)));
  }

  /** Returns the rule for the `model` of a request's body. */
  findForBody(body: unknown): UpstreamRule | undefined {
    return typeof body === "object" && body !== null && "model" in body ? this.find(body.model) : undefined;
  }

  /** Returns the names that other servers answer. Patterns are left out, because they name no model. */
  listNames(): string[] {
    const names = this.#rules.flatMap(({ models }) => models).filter((name) => !name.includes("*"));
    return [...new Set(names)].filter((name) => this.find(name)?.refuse === false);
  }
}

/** A pattern has at most one `*`, so a match takes linear time, whatever name the agent chose. */
function matches(pattern: string, model: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === model;
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return model.length >= start.length + end.length && model.startsWith(start) && model.endsWith(end);
}
