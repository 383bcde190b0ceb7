import type { ShownTool, ToolSchema } from "./prompt-view.js";

/** Names of parameters that take a command line, in any of the programs. */
const COMMAND = ["command", "cmd"];

/** Shells in any of the programs. Other tools that take a command line run it in the background. */
const SHELL = /shell|bash|exec/i;

/** Returns the program's shell tool: a tool that requires a command line, and that has the name of a shell if there are several. */
export function findShell(tools: readonly ShownTool[]): ShownTool | undefined {
  const takesCommand = tools.filter(({ parameters }) => parameters.required?.some((name) => COMMAND.includes(name)));
  return takesCommand.find(({ name }) => SHELL.test(name)) ?? takesCommand[0];
}

/** Returns arguments that run a command line, with a value for every other required parameter. */
export function shellArguments({ parameters }: ShownTool, command: string): Record<string, unknown> {
  return fillRequired(parameters, (name, type) => {
    if (!COMMAND.includes(name)) return undefined;
    return type === "array" ? ["bash", "-lc", command] : command;
  });
}

/** Returns the tool that starts a sub-agent; undefined if the program has none. */
export function findSubAgent(tools: readonly ShownTool[]): ShownTool | undefined {
  return tools.find(({ parameters }) => parameters.required?.includes("prompt"));
}

/** Returns arguments that give a sub-agent a task. Kinds of sub-agents are listed in the tool's description. */
export function subAgentArguments({ parameters, description }: ShownTool, task: string): Record<string, unknown> {
  const kind = /\bgeneral[a-z-]*/.exec(description)?.[0] ?? "general";
  return fillRequired(parameters, (name) => {
    if (name === "prompt") return task;
    return name === "subagent_type" ? kind : undefined;
  });
}

/** @param choose returns a parameter's value; undefined for any valid one */
function fillRequired(
  { required = [], properties }: ToolSchema,
  choose: (name: string, type: string) => unknown,
): Record<string, unknown> {
  const values = required.map((name) => {
    const schema = properties?.[name] ?? {};
    const [type = "string"] = [schema.type ?? "string"].flat();
    return [name, choose(name, type) ?? anyValue(schema, type)] as const;
  });
  return Object.fromEntries(values);
}

function anyValue(schema: ToolSchema, type: string): unknown {
  if (schema.enum) return schema.enum[0];
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 1;
  if (type === "array") return [];
  return type === "object" ? {} : "Runs a command";
}
