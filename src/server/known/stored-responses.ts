import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { InputItem } from "../../protocols/responses/input.js";
import { parseItemId, toItem } from "../../protocols/responses/output-items.js";
import type { EarlierResponses } from "../../protocols/responses/request.js";
import { type RequestEcho, type ResponseBody, toResponse } from "../../protocols/responses/response.js";
import type { Interaction } from "../../session/interaction.js";
import type { Session } from "../../session/session.js";
import { measureJson, measureMessages } from "../../session/session-size.js";

interface StoredResponse {
  readonly answer: GenerationAnswer;
  readonly echo: RequestEcho;
}

/**
 * Responses that a client can retrieve or continue later, because their request had `store`. The session's tree has the
 * conversation. This class keeps the fields that the tree does not have, as long as the interaction exists.
 */
export class StoredResponses {
  readonly #stored = new WeakMap<Interaction, StoredResponse>();

  keep(session: Session, interaction: Interaction, answer: GenerationAnswer, echo: RequestEcho): void {
    if (!echo.store) return;
    this.#stored.set(interaction, { answer, echo });
    session.keepBytes(measureStored(answer, echo));
  }

  /** Returns the response as it was sent; undefined if the session has no stored response with this id. */
  get(session: Session, id: string): ResponseBody | undefined {
    const stored = this.#find(session, id)?.stored;
    return stored && toResponse(stored.answer, stored.echo);
  }

  forSession(session: Session): EarlierResponses {
    return {
      findMessages: (id) => {
        const found = this.#find(session, id);
        if (!found) return undefined;
        const { interaction, stored } = found;
        const input = session.readMessages(interaction);
        return [...(stored.echo.instructions ? input.slice(1) : input), ...interaction.output];
      },
      findItem: (id) => this.#item(session, id),
    };
  }

  #find(session: Session, id: string): { interaction: Interaction; stored: StoredResponse } | undefined {
    const interaction = session.find(id);
    const stored = interaction && this.#stored.get(interaction);
    if (!interaction || !stored) return undefined;
    // A client that names a response has received it.
    session.delivery.referTo(interaction.index);
    return { interaction, stored };
  }

  #item(session: Session, id: string): InputItem | undefined {
    const place = parseItemId(id);
    const answer = place && this.#find(session, place.responseId)?.stored.answer;
    const part = place && answer?.parts[place.index];
    if (!place || !part) return undefined;
    const item = toItem(place.responseId, part, place.index, "completed");
    return item.type === "message"
      ? { ...item, content: item.content.map(({ text }) => text).join("") }
      : toInput(item);
  }
}

/** Memory of a recorded token with its text and log probability, in bytes. */
const RECORDED_TOKEN_BYTES = 128;

function measureStored({ message, tokens, completionTokens }: GenerationAnswer, echo: RequestEcho): number {
  return measureMessages([message]) + measureJson(echo) + (tokens ? RECORDED_TOKEN_BYTES * completionTokens : 0);
}

function toInput(item: Exclude<ReturnType<typeof toItem>, { type: "message" }>): InputItem {
  return item.type === "reasoning" ? { type: "reasoning", content: item.content } : item;
}
