import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Conversation } from "../../../../src/conversation/message.js";
import { TemplateError } from "../../../../src/model/chat-model.js";
import { dumps } from "../../../../src/model/jinja/filters/to-json.js";
import type { ChatTemplate } from "../../../../src/model/template/chat-template.js";

/** A prompt to render. */
export interface Rendering {
  readonly conversation: Conversation;
  readonly addGenerationPrompt: boolean;
}

/** Renders many prompts. The result is undefined if the template refuses one. */
export type RenderAll = (template: ChatTemplate, renderings: readonly Rendering[]) => (string | undefined)[];

const PYTHON = process.env["PYTHON"] ?? "python3";
const PROGRAM = fileURLToPath(new URL("render_prompts.py", import.meta.url));
const JSON_OPTIONS = { indent: undefined, ensureAscii: false, sortKeys: false, separators: [", ", ": "] } as const;

/** Chooses Python's Jinja2 if it is installed, otherwise Rolltape's own renderer. */
export function chooseRenderer(): { readonly name: string; readonly renderAll: RenderAll } {
  const found = spawnSync(PYTHON, ["-c", "import jinja2; print(jinja2.__version__)"], { encoding: "utf8" });
  if (found.status !== 0) return { name: "Rolltape's own renderer", renderAll: renderHere };
  return { name: `Python's Jinja2 ${found.stdout.trim()}`, renderAll: renderByPython };
}

const renderHere: RenderAll = (template, renderings) =>
  renderings.map(({ conversation, addGenerationPrompt }) => {
    try {
      return template.render(conversation, addGenerationPrompt);
    } catch (error) {
      if (error instanceof TemplateError) return undefined;
      throw error;
    }
  });

const renderByPython: RenderAll = (template, renderings) => {
  const variables = renderings.map(({ conversation, addGenerationPrompt }) =>
    dumps(template.variables(conversation, addGenerationPrompt), JSON_OPTIONS),
  );
  const { status, stdout, stderr } = spawnSync(PYTHON, [PROGRAM], {
    input: JSON.stringify({ source: template.source, variables }),
    maxBuffer: 1 << 30,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${PROGRAM} ended with status ${status}: ${stderr}`);
  return (JSON.parse(stdout) as (string | null)[]).map((text) => text ?? undefined);
};
