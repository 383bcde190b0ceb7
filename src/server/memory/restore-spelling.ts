import type { Steps } from "../../support/async/steps.js";
import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";
import { ANTHROPIC_MESSAGES, GEMINI_CONTENTS, restoreCallSpelling } from "./restore-call-spelling.js";

/** Fields whose numbers and keys a template can write into the prompt. */
const TEMPLATE_FIELDS = ["tools", "chat_template_kwargs"] as const;

/** Fields that hold messages. A request has one of them. */
const CONVERSATIONS = [ANTHROPIC_MESSAGES, GEMINI_CONTENTS] as const;

/**
 * Restores the spelling of numbers and the order of keys in the fields that a prompt can show. `JSON.parse` loses both: it
 * reads `1.0` as 1, and puts keys that look like indices first.
 *
 * @param value the parsed `text`
 */
export function* restoreSpelling(text: string, value: unknown): Steps<unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fieldsOf = value as Readonly<Record<string, unknown>>;
  const names = TEMPLATE_FIELDS.filter((name) => mayLoseSpelling(fieldsOf[name]));
  const conversation = yield* restoreConversation(text, value);
  if (names.length === 0 && conversation === undefined) return value;
  const texts = names.length === 0 ? new Map<string, string>() : readFieldTexts(text, new Set<string>(names));
  const fields: Record<string, unknown> = {};
  for (const [name, fieldText] of texts) {
    yield;
    fields[name] = yield* parseSpelled(fieldText);
  }
  return { ...value, ...conversation, ...fields };
}

/** Returns the field that holds the messages; undefined if nothing was restored. */
function* restoreConversation(text: string, value: object): Steps<object | undefined> {
  for (const kind of CONVERSATIONS) {
    const messages = (value as Readonly<Record<string, unknown>>)[kind.name];
    if (!Array.isArray(messages)) continue;
    const restored = yield* restoreCallSpelling(text, messages, kind);
    if (restored !== messages) return { [kind.name]: restored };
  }
  return undefined;
}
