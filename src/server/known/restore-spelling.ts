import type { Steps } from "../../support/async/steps.js";
import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";
import { restoreCallSpelling } from "./restore-call-spelling.js";

/** Fields whose numbers and keys a template can write into the prompt. */
const TEMPLATE_FIELDS: ReadonlySet<string> = new Set(["tools", "chat_template_kwargs"]);

/**
 * Restores the spelling of numbers and the order of keys in the fields that a prompt can show. `JSON.parse` loses both: it
 * reads `1.0` as 1, and puts keys that look like indices first.
 *
 * @param value the parsed `text`
 */
export function* restoreSpelling(text: string, value: unknown): Steps<unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.entries(value)
    .filter(([name, field]) => TEMPLATE_FIELDS.has(name) && mayLoseSpelling(field))
    .map(([name]) => name);
  const messages: unknown = "messages" in value ? value.messages : undefined;
  const restoredMessages = Array.isArray(messages) ? yield* restoreCallSpelling(text, messages) : messages;
  if (names.length === 0 && restoredMessages === messages) return value;
  const texts = names.length === 0 ? new Map<string, string>() : readFieldTexts(text, new Set(names));
  const fields: Record<string, unknown> = {};
  for (const [name, fieldText] of texts) {
    yield;
    fields[name] = parseSpelled(fieldText);
  }
  return {
    ...value,
    ...(restoredMessages === messages ? {} : { messages: restoredMessages }),
    ...fields,
  };
}
