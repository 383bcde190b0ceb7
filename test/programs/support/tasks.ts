import type { PromptView } from "./prompt-view.js";

/** A call of the scripted model. */
export type ScriptedCall =
  /** Runs a command with the program's shell tool. */
  | { readonly run: string }
  /** Calls the shell tool with arguments that it must refuse. */
  | { readonly shellArguments: object }
  /** Calls a tool by its name. A function reads the arguments from the prompt. */
  | { readonly tool: string; readonly arguments: object | ((prompt: string) => object) }
  /** Gives {@link DELEGATED} to a sub-agent. A program without sub-agents runs a command instead. */
  | { readonly delegate: true }
  /** Writes a call whose JSON is not valid. It counts as text, so it has no result. */
  | { readonly malformed: string };

/** One turn of the scripted model. A turn without calls is the final answer. */
export interface ScriptedTurn {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

export interface Task {
  readonly name: string;
  readonly turns: readonly ScriptedTurn[];
  /** Turns of a second process that goes on with the conversation, with the request {@link RESUMED}. */
  readonly resumed?: readonly ScriptedTurn[];
  /** Turns after the program has compacted the conversation. */
  readonly compacted?: readonly ScriptedTurn[];
  /** What hello.txt must contain at the end. Default: `hi`. */
  readonly content?: string;
  /** Files of the project when the program starts, by their paths. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** True if a sub-agent must take the {@link DELEGATED_TURNS}. */
  readonly delegated?: boolean;
  /**
   * Returns the number of turns before this prompt, for programs whose prompts have no results of tools. Default: the model counts these
   * results.
   */
  readonly countTurns?: (prompt: PromptView) => number;
  /** Number of calls in each conversation of a program that begins new ones. Default: one conversation. */
  readonly conversations?: readonly number[];
  /** True if these conversations are linked as compacted ones are, so that a reward of the last reaches all of them. */
  readonly linked?: boolean;
  /** In `concat`, why no turn of the program continues the tokens of the turn before. Default: every turn does. */
  readonly cause?: string;
  /** The program adds text to each answer that it sends back, so in `concat` the later calls are marked as extended. */
  readonly extended?: boolean;
  /** The model sees images. Default: a placeholder stands for each. */
  readonly seesImages?: boolean;
  /** Text that the model must have read before its last turn. */
  readonly shown?: string;
}

/** The request that every program gets. */
export const REQUEST = "create hello.txt with content hi";

/** The request to a program that goes on with an earlier conversation. */
export const RESUMED = "append a question mark to hello.txt";

/** The model's summary of the conversation. Shorter ones are not recognized in the next conversation. */
export const SUMMARY = `1. Request: the user wants a file hello.txt in this folder, whose content is "hi" without a line break at its end.
2. So far: long output of a command was read. It has nothing to do with the file, which does not exist yet.
3. Next: write the file with the shell, read it, and then tell the user what it contains.`;

/** What a sub-agent is asked to do, and the turns in which the model does it. */
export const DELEGATED = "count the files of this folder";
export const DELEGATED_TURNS: readonly ScriptedTurn[] = [
  { reasoning: "I list them.", text: "", calls: [{ run: "ls" }] },
  { reasoning: "None.", text: "There are 0 files.", calls: [] },
];

/** Returns the number of results that a turn leads to. */
export const countResults = ({ calls }: ScriptedTurn): number => calls.filter((call) => !("malformed" in call)).length;

export const WRITE: ScriptedTurn = {
  reasoning: 'The user wants a file "hello.txt" → I write it with the shell.',
  text: "",
  calls: [{ run: "printf hi > hello.txt" }],
};
export const CHECK: ScriptedTurn = {
  reasoning: "I check what it contains.\n\nThen I am done.",
  text: "Let me look at it.",
  calls: [{ run: "cat hello.txt" }],
};
const answer: ScriptedTurn = { reasoning: "It is there.", text: 'hello.txt contains "hi". ✓', calls: [] };

/** Its command prints 24,000 characters, so that a program with a small context compacts the conversation. */
export const LONG_TASK: Task = {
  name: "a conversation that the program compacts",
  turns: [
    { reasoning: "I look around.", text: "", calls: [{ run: "ls -a" }] },
    { reasoning: "", text: "I read more.", calls: [{ run: "seq 1000001 1003000" }] },
    // Programs count the tokens of the command's output when this turn's usage shows them.
    { reasoning: "These are numbers.", text: "", calls: [{ run: "ls -a" }] },
  ],
  compacted: [WRITE, CHECK, answer],
};

export const TASKS: readonly Task[] = [
  { name: "two calls in turn", turns: [WRITE, CHECK, answer] },
  {
    name: "a call that fails, and text before a call",
    turns: [
      { reasoning: "Is it there?", text: "I look first.", calls: [{ run: "cat hello.txt" }] },
      { ...WRITE, reasoning: "There is no such file, so I create it.", text: "Now I create it." },
      answer,
    ],
  },
  {
    name: "two calls at once, without reasoning later",
    turns: [
      { ...WRITE, calls: [...WRITE.calls, { run: "printf '%s\\n' \"two\" \\\n  lines" }] },
      { ...CHECK, reasoning: "" },
      { ...answer, reasoning: "" },
    ],
  },
  {
    name: "a tool that does not exist",
    turns: [{ ...WRITE, calls: [{ tool: "create_the_file", arguments: { path: "hello.txt" } }] }, WRITE, answer],
  },
  {
    name: "a sub-agent",
    turns: [{ ...CHECK, calls: [{ delegate: true }] }, WRITE, answer],
  },
  {
    name: "arguments that the tool refuses",
    turns: [{ ...WRITE, calls: [{ shellArguments: { no_such_argument: [1, null] } }] }, WRITE, answer],
  },
  {
    name: "a call that is not JSON before one that is",
    turns: [{ ...WRITE, calls: [{ malformed: '{"command": "printf' }, ...WRITE.calls] }, answer],
  },
  {
    name: "two processes, of which the second resumes the conversation",
    // Gemini CLI lists the project's files in the user's first message, also in that of an earlier conversation.
    files: { "hello.txt": new Uint8Array() },
    turns: [WRITE, { ...answer, text: 'It contains "hi".' }],
    resumed: [{ ...WRITE, reasoning: "Now a `?`.", calls: [{ run: "printf '?' >> hello.txt" }] }, CHECK, answer],
    content: "hi?",
  },
];
