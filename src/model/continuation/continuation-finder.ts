import type { Conversation, Message } from "../../conversation/message.js";
import type { ContinuationFallback, RecordedTurn } from "../chat-model.js";
import type { ChatTemplate } from "../template/chat-template.js";
import { type ByShape, shapeOf } from "./conversation-shape.js";
import { changesHeader } from "./header-change.js";
import { historyDependence } from "./history-dependence.js";
import { movedContext } from "./moved-context.js";
import { renderBehind } from "./render-after-marker.js";
import { followerLike, isSystem, leadingSystem, markerFor, standInsFor, USER } from "./stand-in.js";
import { findTurnEnd, type TurnTokens } from "./turn-end.js";

/** Text that follows a recorded turn. */
export interface Continuation {
  readonly text: string;
  /** The token that the turn ended with and that the text follows; empty where the text begins with that token. */
  readonly after: string;
}

/**
 * Finds what follows a recorded turn without rendering its history: a short conversation stands for it, of the
 * leading system messages, one user message and an answer of the same shape as the turn's, in which a marker stands
 * for what the model wrote. What the template puts behind the marker is the end of the turn and all that is new.
 *
 * Since only what follows the marker counts, templates that rewrite the answer itself (drop its reasoning, respell its
 * tool calls) can be continued. Not so those that move the system message or the tools behind it, those whose turns
 * end without a token that the model stops at, and conversations whose new messages hold an answer.
 */
export class ContinuationFinder {
  readonly #template: ChatTemplate;
  readonly #tokens: TurnTokens;
  readonly #moved: ByShape<boolean>;
  readonly #dependent: ByShape<boolean>;

  constructor(template: ChatTemplate, tokens: TurnTokens) {
    this.#template = template;
    this.#tokens = tokens;
    this.#moved = movedContext(template);
    this.#dependent = historyDependence(template);
  }

  /**
   * What follows the turn, or why that cannot be told. Costs what the new messages cost, but for templates whose
   * renderings depend on the turns before: those are rendered too.
   */
  find(conversation: Conversation, turn: RecordedTurn): Continuation | ContinuationFallback {
    const answer = conversation.messages[turn.messageCount - 1];
    const added = conversation.messages.slice(turn.messageCount);
    const [next] = added;
    if (answer?.role !== "assistant" || next === undefined) return "answer_among_new_messages";
    if (added.some((message) => message.role === "assistant")) return "answer_among_new_messages";
    if (changesHeader(this.#template, conversation, turn.templateArgs)) return "template_args_changed";
    const lead = leadingSystem(conversation.messages);
    const shape = shapeOf(lead.length > 0, (conversation.tools ?? []).length > 0, answer, next);
    if (this.#moved.get(shape)) return "template_moves_context";
    const history = this.#dependent.get(shape)
      ? conversation.messages.slice(0, turn.messageCount - 1)
      : [...lead, USER];
    return this.#behind({ ...conversation, messages: history }, answer, added, turn.lastTokenId);
  }

  #behind(
    context: Conversation,
    answer: Message,
    added: readonly Message[],
    lastTokenId: number | undefined,
  ): Continuation | ContinuationFallback {
    const marker = markerFor(added);
    const [next] = added;
    for (const stand of standInsFor(answer, marker)) {
      const render = (following: readonly Message[], addGenerationPrompt: boolean): string | undefined => {
        const messages = [...context.messages, stand, ...following];
        return renderBehind(this.#template, marker, { ...context, messages }, addGenerationPrompt);
      };
      const opened = render(added, true);
      const followed = next === undefined ? undefined : render([followerLike(next, answer)], true);
      if (opened === undefined || followed === undefined) continue;
      if (!added.every((message) => isShown(message, opened))) return "system_message_moved";
      return this.#join(opened, followed, () => render([], false), lastTokenId);
    }
    return "template_refuses";
  }

  #join(
    opened: string,
    followed: string,
    closed: () => string | undefined,
    lastTokenId: number | undefined,
  ): Continuation | ContinuationFallback {
    const end = findTurnEnd(followed, closed, this.#tokens);
    if (end === undefined || !opened.startsWith(end.before + end.token)) return "no_end_of_turn";
    const rest = opened.slice(end.before.length);
    const last = lastTokenId === undefined ? undefined : this.#tokens.stops.get(lastTokenId);
    const isEnded = last !== undefined && (last === end.token || last === end.modelToken);
    return isEnded ? { text: rest.slice(end.token.length), after: last } : { text: rest, after: "" };
  }
}

/** A system message that the template moves to the front is not where the new tokens go. */
function isShown(message: Message, opened: string): boolean {
  return !isSystem(message) || opened.includes(message.content.trim());
}
