import type { Grammar } from "../../engine/engine.js";
import type { OutputRules } from "../../model/output/structure/output-structure.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import { RequestError } from "../../protocols/request-error.js";
import type { ServerContext } from "../context.js";
import type { ModelCall } from "./model-call.js";
import type { BuiltPrompt } from "./prompt.js";

/**
 * The grammar that a request asks for: structured output, a call that must be made, one call at most, strict tools.
 *
 * What no grammar can enforce is refused, but for `strict`, which SDKs set of their own accord: the answer says so then, as
 * it does where the configuration leaves tools to the policy.
 */
export function grammarFor(
  { engine, model, settings }: ServerContext,
  { request, onUnenforced }: ModelCall,
  { end }: BuiltPrompt,
): Grammar | undefined {
  const { calls, sampling } = request;
  const { mustCall, single } = calls;
  const strict = settings.enforceStrictTools ? calls.strict : NONE;
  if (calls.strict.size > strict.size) onUnenforced("tools.strict");
  if (!sampling.structure && !mustCall && !single && strict.size === 0) return undefined;
  if (engine.supports.grammar) {
    const rules = rulesOf(request, strict, end());
    const structure = model.outputStructure(rules);
    if (structure) return structure;
    if (!mustCall && !single) {
      if (strict.size > 0) onUnenforced("tools.strict");
      return sampling.structure && model.outputStructure({ ...rules, tools: [] });
    }
    refuse(request, "no grammar knows how the model writes calls.");
  }
  refuse(request, `the engine (${engine.type}) has no grammars.`);
  onUnenforced("tools.strict");
  return undefined;
}

const NONE: ReadonlySet<string> = new Set();

function rulesOf(
  { calls, conversation, sampling }: ModelRequest,
  strict: ReadonlySet<string>,
  promptEnd: string,
): OutputRules {
  return {
    tools: conversation.tools ?? [],
    mustCall: calls.mustCall !== undefined,
    single: calls.single !== undefined,
    strict,
    jsonSchema: sampling.structure?.jsonSchema,
    promptEnd,
  };
}

/** @throws RequestError for the first field that needs a grammar */
function refuse({ calls, sampling }: ModelRequest, reason: string): void {
  const fields: readonly (readonly [string | undefined, string])[] = [
    [calls.mustCall, "asks for a call, which is not supported"],
    [calls.single, "allows one call at most, which is not supported"],
    [sampling.structure?.param, "asks for structured output, which is not supported"],
  ];
  for (const [param, what] of fields) {
    if (param !== undefined) throw new RequestError(param, `${param} ${what}: ${reason}`, "unsupported_parameter");
  }
}
