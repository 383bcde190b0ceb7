import type { ServerNeeds, ServerWarning } from "../engine.js";
import type { ServerConnections } from "./wire/connections.js";
import { jsonObject } from "./wire/json.js";

/** Asks a server one thing. Resolves to undefined if there is nothing to change. */
export type FlagQuestion = () => Promise<ServerWarning | undefined>;

/** Returns the advice of all questions, in their order. A question that the server does not answer gives none. */
export async function askAll(questions: readonly FlagQuestion[]): Promise<ServerWarning[]> {
  const answers = await Promise.allSettled(questions.map((ask) => ask()));
  return answers.flatMap((answer) => (answer.status === "fulfilled" && answer.value ? [answer.value] : []));
}

export function flagWarning(message: string): ServerWarning {
  return { about: "flag", message };
}

/** Lets the server tokenize a prompt, and compares its ids with those of the model folder. Both engines have the endpoint. */
export async function compareTokenizers(
  server: ServerConnections,
  { sample }: ServerNeeds,
  options: { readonly model?: string; readonly signal: AbortSignal },
): Promise<ServerWarning | undefined> {
  const { model, signal } = options;
  const request = { model, prompt: sample.text, add_special_tokens: false };
  const { status, body } = await server.control({ method: "POST", path: "tokenize", body: request, signal });
  const { tokens } = jsonObject(body);
  if (status !== 200 || !Array.isArray(tokens)) return undefined;
  const theirs: readonly unknown[] = tokens;
  const length = Math.max(sample.ids.length, theirs.length);
  for (let i = 0; i < length; i++) {
    if (theirs[i] === sample.ids[i]) continue;
    const message =
      `The server's tokenizer differs from that of the model folder: token ${i} of a prompt is ${describeId(theirs[i])} there ` +
      `and ${describeId(sample.ids[i])} here. Name the folder of the model that the server serves.`;
    return { about: "tokenizer", message };
  }
  return undefined;
}

function describeId(id: unknown): string {
  return typeof id === "number" ? String(id) : "missing";
}

/**
 * Compares the configured limit of prompt and output tokens with the server's.
 *
 * @param flag the server's argument that sets its limit
 */
export function compareContexts(
  { contextLength }: ServerNeeds,
  limit: number | undefined,
  flag: string,
): ServerWarning | undefined {
  if (contextLength === undefined || limit === undefined || contextLength <= limit) return undefined;
  const message =
    `The server takes at most ${limit} tokens of prompt and output together, but ${contextLength} are configured, so it ` +
    `refuses longer calls. Lower the limit, or raise \`${flag}\` of the server.`;
  return { about: "context", message };
}
