import type { Conversation, Message } from "../../../../src/conversation/message.js";
import type { FamilyModel } from "../../../helpers/family-model.js";
import type { Plan, PlannedTurn } from "./conversations.js";
import { oddJson, plainJson } from "./odd-json.js";
import type { Random } from "./random.js";
import type { RenderAll, Rendering } from "./renderer.js";

/** What the model writes in a turn, what an agent must read in it, and the prompts around it. */
export interface ScriptedTurn {
  /** The prompt of the turn, as the template renders it. */
  readonly prompt: string;
  readonly written: string;
  /** The parts of the answer that the template shows. Arguments are JSON texts. */
  readonly answer: { readonly content: string; readonly reasoning: string; readonly calls: readonly ScriptedCall[] };
  /** The arguments are written as JSON, so the agent must get this text. */
  readonly isJson: boolean;
  readonly following: readonly Message[];
  /** The rendering of the whole conversation with the following messages. */
  readonly next: string | undefined;
}

interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

export interface Script {
  readonly plan: Plan;
  readonly turns: readonly ScriptedTurn[];
  /** Number of turns at the end that are left out, because the template's rendering of them does not begin with their prompt. */
  readonly unwritten: number;
}

const toMessage = ({ content, reasoning, calls }: PlannedTurn): Message => ({
  role: "assistant",
  content,
  ...(reasoning === "" ? {} : { reasoning }),
  ...(calls.length > 0
    ? { toolCalls: calls.map(({ id, name, value }) => ({ id, name, arguments: plainJson(value) })) }
    : {}),
});

/** The renderings that a turn needs: its prompt, the answer before and after the following messages, and the next prompt. */
function renderingsOf(plan: Plan, turn: number): Rendering[] {
  const before = plan.turns.slice(0, turn).flatMap((each) => [toMessage(each), ...each.following]);
  const current = plan.turns[turn];
  if (current === undefined) return [];
  const messages = [...plan.opening, ...before];
  const answered = [...messages, toMessage(current)];
  const make = (all: readonly Message[], addGenerationPrompt: boolean): Rendering => {
    const conversation: Conversation = { messages: all, ...(plan.tools.length > 0 ? { tools: plan.tools } : {}) };
    return { conversation, addGenerationPrompt };
  };
  const followed = [...answered, ...current.following];
  return [make(messages, true), make(followed, false), make(answered, false), make(followed, true)];
}

/** Renders all conversations and makes the texts that the model writes, with odd spellings of arguments. */
export function writeScripts(
  model: FamilyModel,
  plans: readonly Plan[],
  renderAll: RenderAll,
  random: Random,
): Script[] {
  const renderings = plans.flatMap((plan) => plan.turns.flatMap((_, turn) => renderingsOf(plan, turn)));
  const texts = renderAll(model.template, renderings);
  let at = 0;
  return plans.map((plan) => {
    const turns: ScriptedTurn[] = [];
    let isWritten = true;
    for (const planned of plan.turns) {
      const [prompt, followed, answered, next] = texts.slice(at, at + 4);
      at += 4;
      const turn: ScriptedTurn | undefined = isWritten
        ? writeTurn(model, planned, { prompt, wholes: [followed, answered], next }, random)
        : undefined;
      isWritten = turn !== undefined;
      if (turn !== undefined) turns.push(turn);
    }
    return { plan, turns, unwritten: plan.turns.length - turns.length };
  });
}

interface Texts {
  readonly prompt: string | undefined;
  readonly wholes: readonly (string | undefined)[];
  readonly next: string | undefined;
}

function writeTurn(model: FamilyModel, planned: PlannedTurn, texts: Texts, random: Random): ScriptedTurn | undefined {
  const { prompt } = texts;
  // Calls are shown as they were written if their results follow, other answers if nothing follows.
  const wholes = planned.calls.length > 0 ? texts.wholes : texts.wholes.toReversed();
  const whole = prompt === undefined ? undefined : wholes.find((text) => text?.startsWith(prompt));
  if (prompt === undefined || whole === undefined) return undefined;
  let written = model.untilStop(whole.slice(prompt.length));
  const shown = (text: string): string => (written.includes(text) ? text : "");
  const content = shown(planned.content);
  const answer = { content: content + spaceBehind(model, content, written), reasoning: shown(planned.reasoning) };
  if (planned.calls.some(({ name }) => !written.includes(name))) return undefined;
  const isJson = planned.calls.every(({ value }) => written.includes(plainJson(value)));
  const calls = planned.calls.map(({ id, name, value }) => {
    const plain = plainJson(value);
    const args = isJson ? oddJson(value, random) : plain;
    if (isJson) written = written.replace(plain, () => args);
    return { id, name, args };
  });
  return { prompt, written, answer: { ...answer, calls }, isJson, following: planned.following, next: texts.next };
}

/** Returns the white space between an answer's text and the end of its turn. It belongs to the text that an agent receives. */
function spaceBehind(model: FamilyModel, content: string, written: string): string {
  if (content === "") return "";
  const rest = written.slice(written.lastIndexOf(content) + content.length);
  return model.isStop(rest.trimStart()) ? rest.slice(0, rest.length - rest.trimStart().length) : "";
}
