import type { PromptView } from "./prompt-view.js";
import { CHECK, type ScriptedTurn, type Task, WRITE } from "./tasks.js";

/** Counts the user's messages after the first one: each is the reply to a turn of the model. */
const countReplies = ({ userTurns }: PromptView): number => userTurns.length - 1;

const say = (text: string): ScriptedTurn => ({ reasoning: "I know how.", text, calls: [] });
const call = (tool: string, args: object): ScriptedTurn => ({
  reasoning: "",
  text: "",
  calls: [{ tool, arguments: args }],
});

export const CALLS: Task = {
  name: "two calls in turn",
  turns: [WRITE, CHECK, { reasoning: "It is there.", text: 'hello.txt contains "hi". ✓', calls: [] }],
};

/** Ends with a command that mini-swe-agent takes as the end. */
const SUBMIT_COMMAND = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
export const SUBMITTED: Task = {
  name: "two commands, and one that submits",
  turns: [WRITE, CHECK, { reasoning: "Done.", text: "I submit.", calls: [{ run: SUBMIT_COMMAND }] }],
};

const command = (line: string) => say(`THOUGHT: I run it.\n\n\`\`\`mswea_bash_command\n${line}\n\`\`\``);
export const COMMANDS_IN_TEXT: Task = {
  name: "commands in text",
  countTurns: countReplies,
  turns: [command("printf hi > hello.txt"), command("cat hello.txt"), command(SUBMIT_COMMAND)],
};

export const FINAL_ANSWER: Task = {
  name: "two calls, and one of the tool final_answer",
  // The agent sends calls and results back as text.
  countTurns: countReplies,
  cause: "history_rewritten",
  turns: [WRITE, CHECK, call("final_answer", { answer: "It is there." })],
};

/** The agent stops the model at the closing tag, and adds the tag to the answer that it sends back. */
const code = (line: string) => say(`I do it.\n<code>\n${line}\n</code>`);
export const CODE: Task = {
  name: "code",
  extended: true,
  countTurns: countReplies,
  turns: [
    code('run_command("printf hi > hello.txt")'),
    code('print(run_command("cat hello.txt"))'),
    code('final_answer("It is there.")'),
  ],
};

/** Keystrokes for a terminal. The agent asks again before it ends. */
const keys = (keystrokes: string) => [{ keystrokes, duration: 0.1 }];
const terminal = (commands: readonly object[], complete: boolean) =>
  say(JSON.stringify({ analysis: "It goes well.", plan: "Go on.", commands, task_complete: complete }, undefined, 2));
export const TERMINAL: Task = {
  name: "keystrokes",
  countTurns: countReplies,
  turns: [terminal(keys("printf hi > hello.txt\n"), false), terminal([], true), terminal([], true)],
};

/** The agent begins a new conversation for each step, with the steps so far in its first message. */
const fields = (values: Readonly<Record<string, string>>) =>
  say(
    [...Object.entries(values).map(([name, value]) => `[[ ## ${name} ## ]]\n${value}`), "[[ ## completed ## ]]"].join(
      "\n\n",
    ),
  );
const step = (tool: string, args: object) =>
  fields({ next_thought: "I do it.", next_tool_name: tool, next_tool_args: JSON.stringify(args) });
export const STEPS: Task = {
  name: "steps",
  countTurns: ({ userTurns }) => (userTurns[0]?.text.split("[[ ## observation_").length ?? 0) - 1,
  conversations: [1, 1, 1],
  turns: [
    step("run_command", { command: "printf hi > hello.txt" }),
    step("finish", {}),
    fields({ reasoning: "It is there.", answer: "Done." }),
  ],
};

/** The second agent has another system prompt, so it begins a conversation. */
export const HANDOFF: Task = {
  name: "a handoff to another agent",
  conversations: [1, 2],
  linked: true,
  turns: [call("transfer_to_worker", {}), WRITE, { reasoning: "", text: "Done.", calls: [] }],
};
