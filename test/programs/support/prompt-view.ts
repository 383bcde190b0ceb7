/** A tool as the chat template shows it to the model. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolSchema;
}

export interface ToolSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ToolSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
}

/** What a model can read in a prompt in Qwen3's format. */
export interface PromptView {
  readonly tools: readonly ShownTool[];
  readonly userTurns: readonly UserTurn[];
}

/** A turn of the user: a text, or results of tools. */
export interface UserTurn {
  /** Empty for results of tools. */
  readonly text: string;
  /** Number of results of tools. */
  readonly results: number;
}

const TURN = "<|im_start|>";
const RESULT = "<tool_response>\n";

export function readPrompt(prompt: string): PromptView {
  const turns = prompt.split(TURN).slice(1);
  const ofUser = turns.filter((turn) => turn.startsWith("user\n"));
  return { tools: readTools(turns[0] ?? ""), userTurns: ofUser.map(readUserTurn) };
}

function readUserTurn(turn: string): UserTurn {
  if (!turn.startsWith(`user\n${RESULT}`)) return { text: turn, results: 0 };
  return { text: "", results: turn.split(`\n${RESULT}`).length - 1 };
}

/** Reads the declarations of the system turn, one a line. They follow the last opening tag: a system prompt may spell another. */
function readTools(system: string): ShownTool[] {
  const end = system.lastIndexOf("\n</tools>\n");
  if (!system.startsWith("system\n") || end < 0) return [];
  const start = system.lastIndexOf("\n<tools>\n", end) + "\n<tools>\n".length;
  const declared = system.slice(start, end).split("\n");
  return declared.map((line) => {
    const { function: tool } = JSON.parse(line) as { function: Partial<ShownTool> & { name: string } };
    return { description: "", parameters: {}, ...tool };
  });
}
