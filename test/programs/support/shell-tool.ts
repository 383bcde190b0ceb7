import type { ShownTool, ToolSchema } from "./prompt-view.js";

/** Parameters that take a command line, by any program's name for it. */
const COMMAND = ["command", "cmd"];

/** Returns the first tool that must be given a command line: the program's shell. */
export function findShell(tools: readonly ShownTool[]): ShownTool | undefined {
  return tools.find(({ parameters }) => parameters.required?.some((name) => COMMAND.includes(name)));
}

/** Returns arguments that run a command line: it, and a value for each other required parameter. */
export function shellArguments({ parameters }: ShownTool, command: string): Record<string, unknown> {
  const required = parameters.required ?? [];
  return Object.fromEntries(required.map((name) => [name, value(name, parameters.properties?.[name] ?? {}, command)]));
}

function value(name: string, schema: ToolSchema, command: string): unknown {
  const [type] = [schema.type ?? "string"].flat();
  if (COMMAND.includes(name)) return type === "array" ? ["bash", "-lc", command] : command;
  if (schema.enum) return schema.enum[0];
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 1;
  if (type === "array") return [];
  return type === "object" ? {} : "Runs a command";
}
