import type { GenerateOutcome, GenerateRequest, OutputToken } from "../../helpers/sglang/protocol.js";
import { findShell, findSubAgent, shellArguments, subAgentArguments } from "./known-tools.js";
import { writeOddJson } from "./odd-json.js";
import { type PromptView, readPrompt, type ShownTool } from "./prompt-view.js";
import { type Purpose, type PurposeOfCall, readPurpose } from "./purpose.js";
import { decode, encode, encodeOddly } from "./qwen3.js";
import {
  countResults,
  DELEGATED,
  DELEGATED_TURNS,
  type ScriptedCall,
  type ScriptedTurn,
  SUMMARY,
  type Task,
} from "./tasks.js";

/** A generation of the engine. */
export interface LoggedCall {
  readonly prompt: readonly number[];
  readonly output: readonly OutputToken[];
  readonly finish: GenerateOutcome["finish"]["type"];
  readonly purpose: Purpose;
}

export interface WritingStyle {
  /** Writes valid JSON that no serializer writes, in tokens that no tokenizer chooses. */
  readonly odd: boolean;
}

const NO_SHELL: ShownTool = { name: "shell", description: "", parameters: {} };

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
    const text = this.#write(decode(inputIds));
    return this.#style.odd ? encodeOddly(text) : encode(text);
  };

  readonly hear = ({ inputIds }: GenerateRequest, { tokens, finish }: GenerateOutcome): void => {
    const { purpose } = this.#read(readPrompt(decode(inputIds)));
    this.calls.push({ prompt: inputIds, output: [...tokens], finish: finish.type, purpose });
  };

  #write(prompt: string): string {
    const view = readPrompt(prompt);
    const { purpose, results } = this.#read(view);
    if (purpose === "side" || (purpose === "compaction" && !this.#task.compacted)) return SIDE_ANSWER;
    if (purpose === "compaction") return `<think>\nWhat was it?\n</think>\n\n<summary>\n${SUMMARY}\n</summary>`;
    const turn = purpose === "compacted" ? this.#nextCompacted() : this.#findTurn(purpose, results);
    if (turn) return this.#writeTurn(turn, view.tools, prompt);
    this.problems.push(`No turn of the purpose "${purpose}" follows ${results} results.`);
    return "<think>\n\n</think>\n\nI stop here.";
  }

  #read(view: PromptView): PurposeOfCall {
    const { countTurns } = this.#task;
    return countTurns ? { purpose: "task", results: countTurns(view) } : readPurpose(view);
  }

  /** Some programs keep the last results in a compacted conversation, so results do not show its turn. */
  #nextCompacted(): ScriptedTurn | undefined {
    return this.#task.compacted?.[this.calls.filter(({ purpose }) => purpose === "compacted").length];
  }

  #findTurn(purpose: "task" | "resumed" | "delegated", results: number): ScriptedTurn | undefined {
    return this.#task.countTurns ? this.#task.turns[results] : findTurn(this.#turns(purpose), results);
  }

  #turns(purpose: "task" | "resumed" | "delegated"): readonly ScriptedTurn[] {
    if (purpose === "task") return this.#task.turns;
    return (purpose === "delegated" ? DELEGATED_TURNS : this.#task[purpose]) ?? [];
  }

  #writeTurn({ reasoning, text, calls }: ScriptedTurn, tools: readonly ShownTool[], prompt: string): string {
    const said = [text, ...calls.map((call) => this.#writeCall(call, tools, prompt))].filter((part) => part !== "");
    return `<think>\n${reasoning}\n</think>\n\n${said.join("\n")}`;
  }

  #writeCall(call: ScriptedCall, tools: readonly ShownTool[], prompt: string): string {
    if ("tool" in call) {
      return this.#writeToolCall(
        call.tool,
        typeof call.arguments === "function" ? call.arguments(prompt) : call.arguments,
      );
    }
    const subAgent = findSubAgent(tools);
    if ("delegate" in call && subAgent) {
      return this.#writeToolCall(subAgent.name, subAgentArguments(subAgent, DELEGATED));
    }
    const shell = findShell(tools) ?? NO_SHELL;
    if ("malformed" in call) return wrapCall(`{"name": ${JSON.stringify(shell.name)}, "arguments": ${call.malformed}`);
    if ("shellArguments" in call) return this.#writeToolCall(shell.name, call.shellArguments);
    return this.#writeToolCall(shell.name, shellArguments(shell, "run" in call ? call.run : "ls"));
  }

  #writeToolCall(name: string, args: object): string {
    if (!this.#style.odd) return wrapCall(`{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(args)}}`);
    return wrapCall(`{ "name":${JSON.stringify(name)} ,\n  "arguments" :${writeOddJson(args)} }`);
  }
}

const wrapCall = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;

/** Returns the turn that follows this number of results. */
function findTurn(turns: readonly ScriptedTurn[], results: number): ScriptedTurn | undefined {
  let before = 0;
  for (const turn of turns) {
    if (before === results) return turn;
    before += countResults(turn);
  }
  return undefined;
}
