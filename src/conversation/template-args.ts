import { keepSpelling } from "../support/json/spelled.js";

/** Variables for the chat template. */
export type TemplateArgs = Readonly<Record<string, unknown>>;

/** What a template is always given; other variables must not stand for it. */
export const RESERVED_ARGS: ReadonlySet<string> = new Set(["messages", "tools", "add_generation_prompt"]);

/** Whether two requests spell the same variables alike. Another order of keys is another spelling: templates may show it. */
export function sameTemplateArgs(a: TemplateArgs | undefined, b: TemplateArgs | undefined): boolean {
  return a === b || spelled(a) === spelled(b);
}

function spelled(args: TemplateArgs | undefined): string {
  return JSON.stringify(args ?? {}, keepSpelling);
}
