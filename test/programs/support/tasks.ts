/** One turn of the scripted model. */
export interface ScriptedTurn {
  readonly reasoning: string;
  readonly text: string;
  /** Commands for the shell tool, one call each. None: the turn is the final answer. */
  readonly commands: readonly string[];
}

export interface Task {
  readonly name: string;
  readonly turns: readonly ScriptedTurn[];
}

/** What every program is asked to do. */
export const REQUEST = "create hello.txt with content hi";

const write: ScriptedTurn = {
  reasoning: 'The user wants a file "hello.txt" → I write it with the shell.',
  text: "",
  commands: ["printf hi > hello.txt"],
};
const check: ScriptedTurn = {
  reasoning: "I check what it contains.\n\nThen I am done.",
  text: "Let me look at it.",
  commands: ["cat hello.txt"],
};
const answer: ScriptedTurn = { reasoning: "It is there.", text: 'hello.txt contains "hi". ✓', commands: [] };

export const TASKS: readonly Task[] = [
  { name: "two calls in turn", turns: [write, check, answer] },
  {
    name: "a call that fails, and text before a call",
    turns: [
      { reasoning: "Is it there?", text: "I look first.", commands: ["cat hello.txt"] },
      { ...write, reasoning: "There is no such file, so I create it.", text: "Now I create it." },
      answer,
    ],
  },
  {
    name: "two calls at once",
    turns: [
      {
        ...write,
        reasoning: "Both at once.",
        commands: ["printf hi > hello.txt", "printf '%s\\n' \"two\" \\\n  lines"],
      },
      { ...check, reasoning: "" },
      { ...answer, reasoning: "" },
    ],
  },
];
