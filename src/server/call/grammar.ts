import type { Grammar } from "../../engine/engine.js";
import type { OutputRules } from "../../model/output/structure/output-structure.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import { RequestError } from "../../protocols/request-error.js";
import { UNREAD_CALLS } from "../model-warnings.js";
import type { Call } from "./call.js";
import { decodePromptEnd } from "./prompt.js";

/**
 * Builds the grammar that a request needs, for structured output, a required call, at most one call, or strict tools.
 *
 * A request is refused if the engine cannot enforce what it asks for. Strict tools are an exception, because SDKs set
 * `strict` by themselves: they are reported as not enforced, as they are if the configuration does not enforce them.
 *
 * @returns undefined if the request needs no grammar
 */
export function buildGrammar(call: Call): Grammar | undefined {
  const { services, request, turn } = call;
  const { engine, model, settings } = services;
  const { calls, sampling } = request;
  const { mustCall, single } = calls;
  const strict = settings.enforceStrictTools ? calls.strict : NONE;
  if (calls.strict.size > strict.size) call.noteUnenforced("tools.strict");
  if (!sampling.structure && !mustCall && !single && strict.size === 0) return undefined;
  if (mustCall && model.toolCalls.family === "none") refuse(request, UNREAD_CALLS);
  if (engine.supports.grammar) {
    const rules = toOutputRules(request, strict, decodePromptEnd(model, turn));
    const structure = model.outputStructure(rules);
    if (structure) return structure;
    if (!mustCall && !single) {
      if (strict.size > 0) call.noteUnenforced("tools.strict");
      return sampling.structure && model.outputStructure({ ...rules, tools: [] });
    }
    refuse(request, "there is no grammar for the tool calls of this model.");
  }
  refuse(request, `the engine (${engine.type}) does not support grammars.`);
  call.noteUnenforced("tools.strict");
  return undefined;
}

const NONE: ReadonlySet<string> = new Set();

function toOutputRules(
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

/** @throws RequestError for the first field that needs a grammar; returns if only strict tools need one */
function refuse({ calls, sampling }: ModelRequest, reason: string): void {
  const fields: readonly (readonly [string | undefined, string])[] = [
    [calls.mustCall, "requires a tool call"],
    [calls.single, "allows at most one tool call"],
    [sampling.structure?.param, "requires structured output"],
  ];
  for (const [param, demand] of fields) {
    if (param === undefined) continue;
    throw new RequestError(param, `${param} ${demand}, which is not supported: ${reason}`, "unsupported_parameter");
  }
}
