import type { Agent } from "../contract.js";
import { describe } from "../describe.js";
import { importString } from "../import-string.js";
import { WorkflowError } from "../workflow-error.js";
import type { AgentInstance, AgentSource, ImportedAgent } from "./agent-source.js";

/** Makes the agent, anew with every call; its module is imported once. */
export async function loadAgent(source: AgentSource): Promise<Agent> {
  return source.kind === "import" ? loadImported(source, []) : loadInstance(source);
}

async function loadImported(source: ImportedAgent, passed: readonly string[]): Promise<Agent> {
  const { specifier, directory, keywordArguments } = source;
  const path = [...passed, specifier];
  if (passed.includes(specifier))
    throw new WorkflowError("invalid_import", `An import string leads back to itself: ${path.join(" → ")}.`);
  const found = await importString(specifier, directory);
  if (typeof found === "string") return loadImported({ ...source, specifier: found }, path);
  if (hasRun(found)) return found;
  if (typeof found === "function" && hasRun(found.prototype)) {
    return new (found as new (keywordArguments: object) => Agent)(keywordArguments);
  }
  const origin = path.map((each) => JSON.stringify(each)).join(" → ");
  const expected = "an agent (with run) or a class of agents; workflows run in the rollout worker's own process";
  throw new WorkflowError("invalid_workflow", `Given: ${describe(found)} by way of ${origin}. Expected: ${expected}.`);
}

/** The instance without its constructor having run again, as it was when it was sent. */
async function loadInstance({ module, className, state }: AgentInstance): Promise<Agent> {
  const type = await importString(`${module}#${className}`, process.cwd());
  if (typeof type !== "function" || !hasRun(type.prototype)) {
    const message = `Given: ${describe(type)}, exported by ${module} as ${className}. Expected: a class of agents.`;
    throw new WorkflowError("invalid_workflow", message);
  }
  return Object.assign(Object.create(type.prototype as object) as Agent, state);
}

function hasRun(value: unknown): value is Agent {
  return value !== null && value !== undefined && typeof (value as { run?: unknown }).run === "function";
}
