import type { Agent } from "../contract.js";
import { describe } from "../describe.js";
import { importString } from "../import-string.js";
import { WorkflowError } from "../workflow-error.js";
import type { AgentInstance, AgentSource, ImportedAgent } from "./agent-source.js";

/** Creates the agent, a new one with every call. Its module is imported once. */
export async function loadAgent(source: AgentSource): Promise<Agent> {
  return source.kind === "import" ? loadImported(source, []) : loadInstance(source);
}

async function loadImported(source: ImportedAgent, earlier: readonly string[]): Promise<Agent> {
  const { specifier, directory, keywordArguments } = source;
  const path = [...earlier, specifier];
  if (earlier.includes(specifier))
    throw new WorkflowError("invalid_import", `The import string must not lead back to itself: ${path.join(" → ")}.`);
  const found = await importString(specifier, directory);
  if (typeof found === "string") return loadImported({ ...source, specifier: found }, path);
  if (hasRun(found)) return found;
  if (typeof found === "function" && hasRun(found.prototype)) {
    return new (found as new (keywordArguments: object) => Agent)(keywordArguments);
  }
  const origin = path.map((text) => JSON.stringify(text)).join(" → ");
  const expected =
    "an agent (with run) or a class of agents, because workflows run in the rollout worker's own process";
  throw new WorkflowError("invalid_workflow", `Expected ${expected}; received ${describe(found)} from ${origin}.`);
}

/** Creates the instance with the state that was sent, without running its constructor again. */
async function loadInstance({ module, className, state }: AgentInstance): Promise<Agent> {
  const type = await importString(`${module}#${className}`, process.cwd());
  if (typeof type !== "function" || !hasRun(type.prototype)) {
    const message = `${module} must export ${className} as a class of agents; received ${describe(type)}.`;
    throw new WorkflowError("invalid_workflow", message);
  }
  return Object.assign(Object.create(type.prototype as object) as Agent, state);
}

function hasRun(value: unknown): value is Agent {
  return value !== null && value !== undefined && typeof (value as { run?: unknown }).run === "function";
}
