import { keepSpelling } from "../support/json/spelled.js";

/** Variables for the chat template. */
export type TemplateArgs = Readonly<Record<string, unknown>>;

/** Variables that every template gets from the proxy. Requests and the configuration cannot set them. */
export const RESERVED_ARGS: ReadonlySet<string> = new Set(["messages", "tools", "add_generation_prompt"]);

/** Returns true if two requests have the same variables in the same spelling. Key order counts: templates may print it. */
export function sameTemplateArgs(a: TemplateArgs | undefined, b: TemplateArgs | undefined): boolean {
  return a === b || toText(a) === toText(b);
}

function toText(args: TemplateArgs | undefined): string {
  return JSON.stringify(args ?? {}, keepSpelling);
}
