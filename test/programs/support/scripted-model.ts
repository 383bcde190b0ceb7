import type { GenerateOutcome, GenerateRequest, OutputToken } from "../../helpers/sglang/protocol.js";
import { writeOddJson } from "./odd-json.js";
import { type PromptView, readPrompt, type ShownTool } from "./prompt-view.js";
import { decode, encode, encodeOddly } from "./qwen3.js";
import { findShell, shellArguments } from "./shell-tool.js";
import { countResults, REQUEST, type ScriptedCall, type ScriptedTurn, type Task } from "./tasks.js";

/** A generation of the engine. */
export interface LoggedCall {
  readonly prompt: readonly number[];
  readonly output: readonly OutputToken[];
  readonly finish: GenerateOutcome["finish"]["type"];
  /** True if the call belongs to the task, false if it is a side call, such as one for a title. */
  readonly main: boolean;
}

export interface WritingStyle {
  /** Writes valid JSON that no serializer writes, in tokens that no tokenizer chooses. */
  readonly odd: boolean;
}

/** The answer to side calls: a valid title, summary or route. */
const SIDE_ANSWER = '{"title": "Create a file"}';

/**
 * A model that does a task in the turns of its script, in Qwen3's format. It sees only the tokens of the prompt, so it works as far as
 * the prompt shows it tools and their results. It has a log of what it generated.
 */
export class ScriptedModel {
  readonly calls: LoggedCall[] = [];
  /** Prompts on which the script could not go on. */
  readonly problems: string[] = [];
  readonly #task: Task;
  readonly #style: WritingStyle;

  constructor(task: Task, style: WritingStyle) {
    this.#task = task;
    this.#style = style;
  }

  readonly complete = ({ inputIds }: GenerateRequest): readonly number[] => {
    const text = this.#write(readPrompt(decode(inputIds)));
    return this.#style.odd ? encodeOddly(text) : encode(text);
  };

  readonly hear = ({ inputIds }: GenerateRequest, { tokens, finish }: GenerateOutcome): void => {
    const main = isTask(readPrompt(decode(inputIds)));
    this.calls.push({ prompt: inputIds, output: [...tokens], finish: finish.type, main });
  };

  #write(prompt: PromptView): string {
    const shell = findShell(prompt.tools);
    if (!isTask(prompt) || !shell) return SIDE_ANSWER;
    const turn = this.#findTurn(prompt.results);
    if (!turn) {
      this.problems.push(`The prompt has ${prompt.results} results, at which no turn of the task begins.`);
      return "<think>\n\n</think>\n\nI stop here.";
    }
    return this.#writeTurn(turn, shell);
  }

  /** Returns the turn that follows so many results. */
  #findTurn(results: number): ScriptedTurn | undefined {
    let before = 0;
    for (const turn of this.#task.turns) {
      if (before === results) return turn;
      before += countResults(turn);
    }
    return undefined;
  }

  #writeTurn({ reasoning, text, calls }: ScriptedTurn, shell: ShownTool): string {
    const said = [text, ...calls.map((call) => this.#writeCall(call, shell))].filter((part) => part !== "");
    return `<think>\n${reasoning}\n</think>\n\n${said.join("\n")}`;
  }

  #writeCall(call: ScriptedCall, shell: ShownTool): string {
    if ("unknownTool" in call) return this.#writeToolCall(call.unknownTool, { path: "hello.txt", content: "hi" });
    if ("shellArguments" in call) return this.#writeToolCall(shell.name, call.shellArguments);
    if ("run" in call) return this.#writeToolCall(shell.name, shellArguments(shell, call.run));
    return wrapCall(`{"name": ${JSON.stringify(shell.name)}, "arguments": ${call.malformed}`);
  }

  #writeToolCall(name: string, args: object): string {
    if (!this.#style.odd) return wrapCall(`{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(args)}}`);
    return wrapCall(`{ "name":${JSON.stringify(name)} ,\n  "arguments" :${writeOddJson(args)} }`);
  }
}

const wrapCall = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;

function isTask({ tools, userTexts }: PromptView): boolean {
  return findShell(tools) !== undefined && userTexts.some((text) => text.includes(REQUEST));
}
