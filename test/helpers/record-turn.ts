import type { Conversation } from "../../src/conversation/message.js";
import { native } from "../../src/native/addon.js";
import type { RecordedInteraction } from "../../src/session/recorded-interaction.js";
import type { Session } from "../../src/session/session.js";
import type { Answer, PromptTokens, Turn } from "../../src/session/turn/turn.js";
import { runAtOnce } from "../../src/support/async/steps.js";

/** Begins a turn at once. */
export function beginTurn(session: Session, conversation: Conversation): Turn {
  return runAtOnce(session.begin(conversation));
}

/**
 * Records a turn as a server does.
 *
 * @param prompt default: no tokens
 * @param answer default of the generation: no tokens
 */
export function recordTurn(
  session: Session,
  conversation: Conversation,
  answer: Partial<Answer> & Pick<Answer, "output">,
  prompt: PromptTokens = { pieces: [] },
): RecordedInteraction {
  const turn = beginTurn(session, conversation);
  turn.buildPrompt(prompt);
  return recordAnswer(turn, answer);
}

/** Records an answer to a turn that has its prompt. */
export function recordAnswer(turn: Turn, answer: Partial<Answer> & Pick<Answer, "output">): RecordedInteraction {
  const generation = answer.generation ?? new native.Generation();
  return turn.record({ finishReason: "stop", api: "chat.completions", ...answer, generation });
}
