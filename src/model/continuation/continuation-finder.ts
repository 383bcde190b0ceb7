import { showAsText } from "../../conversation/media.js";
import { type Conversation, isSystem, type Message } from "../../conversation/message.js";
import { sameTemplateArgs, type TemplateArgs } from "../../conversation/template-args.js";
import { type ContinuationFallback, type RecordedTurn, TemplateError } from "../chat-model.js";
import type { ChatTemplate } from "../template/chat-template.js";
import { ByShape, describeShape, makeProbes, PROBE_MARKER, PROBE_WORD } from "./conversation-shape.js";
import { probeHistoryDependence } from "./history-dependence.js";
import { renderAfterMarker } from "./render-after-marker.js";
import { leadingSystem, makeFollower, makeMarker, makeStandIns, STAND_IN_TEXT, USER } from "./stand-in.js";
import { findTurnEnd, type TurnTokens } from "./turn-end.js";

/** Text that follows a recorded turn. */
export interface Continuation {
  readonly text: string;
  /** The token with which the turn ended, before the text; empty if the text begins with that token. */
  readonly after: string;
}

/**
 * Finds the text that follows a recorded turn without rendering the turn's history.
 *
 * It renders a short stand-in conversation instead: the leading system messages, one user message, an answer of the same
 * shape as the turn's that ends with a marker, and the new messages. The text after the marker is the end of the turn
 * and everything new.
 *
 * Only the text after the marker counts, so templates may rewrite the answer itself (drop its reasoning, format its
 * calls differently). A conversation cannot be continued if the template moves the system message or the tools after
 * the answer, if its turns do not end with a token at which the model stops, or if the new messages contain an answer.
 */
export class ContinuationFinder {
  readonly #template: ChatTemplate;
  readonly #tokens: TurnTokens;
  readonly #moved: ByShape<boolean>;
  readonly #dependent: ByShape<boolean>;

  constructor(template: ChatTemplate, tokens: TurnTokens) {
    this.#template = template;
    this.#tokens = tokens;
    this.#moved = probeMovedContext(template);
    this.#dependent = probeHistoryDependence(template);
  }

  /**
   * Returns the text that follows the turn, or why the conversation cannot be continued. The cost depends on the new
   * messages only, except for templates whose renderings depend on earlier turns: then these are rendered too.
   */
  find(conversation: Conversation, turn: RecordedTurn): Continuation | ContinuationFallback {
    const answer = conversation.messages[turn.messageCount - 1];
    const added = conversation.messages.slice(turn.messageCount);
    const [next] = added;
    if (answer?.role !== "assistant" || next === undefined) return "answer_among_new_messages";
    if (added.some((message) => message.role === "assistant")) return "answer_among_new_messages";
    if (changesHeader(this.#template, conversation, turn.templateArgs)) return "template_args_changed";
    const lead = leadingSystem(conversation.messages);
    const shape = describeShape(lead.length > 0, (conversation.tools ?? []).length > 0, answer, next);
    if (this.#moved.get(shape)) return "template_moves_context";
    const history = this.#dependent.get(shape)
      ? conversation.messages.slice(0, turn.messageCount - 1)
      : [...lead, USER];
    const context = { ...conversation, messages: history };
    if (turn.addedText !== undefined) return this.#renderExtended(context, turn.addedText, added);
    const { toolCalls = [] } = answer;
    if (!this.#template.dividesCalls || toolCalls.length < 2)
      return this.#render(context, answer, added, turn.lastTokenId);
    const continuations = toolCalls.map((call) =>
      this.#render(context, { ...answer, toolCalls: [call] }, added, turn.lastTokenId),
    );
    return equalContinuation(continuations) ?? "template_refuses";
  }

  /** Returns the text that follows a turn to whose answer the client has added text. The turn has no calls and no end-of-turn token. */
  #renderExtended(
    context: Conversation,
    addedText: string,
    added: readonly Message[],
  ): Continuation | ContinuationFallback {
    const answer: Message = { role: "assistant", content: addedText };
    const plain = this.#render(context, { ...answer, content: "" }, added, undefined);
    if (typeof plain === "string") return plain;
    const marker = makeMarker([answer, ...added]);
    const render = (text: string): string | undefined => {
      const messages = [...context.messages, { ...answer, content: marker + text }, ...added];
      return renderAfterMarker(this.#template, marker, { ...context, messages }, true);
    };
    const [following, text] = [render(""), render(addedText)];
    // Templates may remove white space at the end of an answer.
    const isShown = text === addedText + following || text === addedText.trimEnd() + following;
    return text !== undefined && isShown ? { text, after: "" } : "added_text_changed";
  }

  #render(
    context: Conversation,
    answer: Message,
    added: readonly Message[],
    lastTokenId: number | undefined,
  ): Continuation | ContinuationFallback {
    const marker = makeMarker(added);
    const [next] = added;
    for (const standIn of makeStandIns(answer, marker)) {
      const render = (following: readonly Message[], addGenerationPrompt: boolean): string | undefined => {
        const messages = [...context.messages, standIn, ...following];
        return renderAfterMarker(this.#template, marker, { ...context, messages }, addGenerationPrompt);
      };
      const opened = render(added, true);
      const followed = next === undefined ? undefined : render([makeFollower(next, answer)], true);
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

/**
 * Returns the continuation of a turn with several calls of which the template shows one. Undefined if it depends on the call that
 * is shown, for example because the template names the call in the result.
 *
 * @param continuations one for each call that can be shown
 */
function equalContinuation(
  continuations: readonly (Continuation | ContinuationFallback)[],
): Continuation | ContinuationFallback | undefined {
  const [first, ...rest] = continuations;
  const text = JSON.stringify(first);
  return rest.every((other) => JSON.stringify(other) === text) ? first : undefined;
}

/** Returns false for a system message that the template does not show after the answer, for example because it moves it to the front. */
function isShown(message: Message, opened: string): boolean {
  return !isSystem(message) || opened.includes(showAsText(message.content).trim());
}

/**
 * Returns true if the conversation's header would differ with the `earlier` template variables. The header is all text
 * before the first user message. Variables that only affect later messages or the opening of the next turn do not
 * change it.
 */
function changesHeader(template: ChatTemplate, conversation: Conversation, earlier: TemplateArgs | undefined): boolean {
  if (sameTemplateArgs(conversation.templateArgs, earlier)) return false;
  const { templateArgs: _, ...shown } = conversation;
  const before = { ...shown, ...(earlier ? { templateArgs: earlier } : {}) };
  return renderHeader(template, before) !== renderHeader(template, conversation);
}

/** Returns undefined if the template refuses. The finder notices this itself when it renders the continuation. */
function renderHeader(template: ChatTemplate, conversation: Conversation): string | undefined {
  try {
    const messages = [...leadingSystem(conversation.messages), USER];
    return template.render({ ...conversation, messages }, false).split(STAND_IN_TEXT, 1)[0];
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/**
 * Finds out, per shape, whether a template shows the system message or the tools after an answer once another message
 * follows it. Some templates show them with the last user message.
 */
function probeMovedContext(template: ChatTemplate): ByShape<boolean> {
  return new ByShape((shape) => {
    if (!shape.hasSystem && !shape.hasTools) return false;
    return makeProbes(shape).some(
      (probe) => renderAfterMarker(template, PROBE_MARKER, probe, true)?.includes(PROBE_WORD) ?? false,
    );
  });
}
