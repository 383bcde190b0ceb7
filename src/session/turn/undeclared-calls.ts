import type { Conversation, Message, ToolCall } from "../../conversation/message.js";

/** The tools that a request declared. */
export type DeclaredTools = Pick<Conversation, "tools" | "loadedTools">;

/** An answer of the session that was found in the messages of a request. */
export interface FoundAnswer {
  /** Index of the interaction. */
  readonly index: number;
  /** Index of the answer among the request's messages. */
  readonly position: number;
}

/**
 * Returns the ids of the undeclared calls of an answer; undefined if there are none. If the request declared no tools, there are none,
 * because its client may still know the tools.
 */
export function listUndeclaredCalls(
  output: readonly Message[],
  { tools = [], loadedTools = [] }: DeclaredTools,
): readonly string[] | undefined {
  if (tools.length + loadedTools.length === 0) return undefined;
  const isDeclared = (name: string) =>
    [tools, loadedTools].some((list) => list.some((tool) => tool.function.name === name));
  const ids = output.flatMap(({ toolCalls = [] }) =>
    toolCalls.filter(({ name }) => !isDeclared(name)).map(({ id }) => id),
  );
  return ids.length === 0 ? undefined : ids;
}

/**
 * Finds answers by the ids of calls whose tool the request had not declared.
 *
 * No client can run such a call. Some clients replace it in their history, keep its id, and give the replacement a result that describes
 * the error. For example, the AI SDK's `experimental_repairToolCall` turns it into a call of another tool. The message then differs from the
 * recorded answer, although it stands for the same answer.
 */
export class UndeclaredCalls {
  /** Index of the interaction by the id of the call. */
  readonly #answers = new Map<string, number>();

  /** @param ids undeclared calls of an interaction's answer */
  add(index: number, ids: readonly string[] = []): void {
    for (const id of ids) this.#answers.set(id, index);
  }

  /** Returns the last message of a request that has such a call. */
  findLast(messages: readonly Message[]): FoundAnswer | undefined {
    if (this.#answers.size === 0) return undefined;
    const isKnown = ({ id }: ToolCall): boolean => this.#answers.has(id);
    const position = messages.findLastIndex(({ toolCalls = [] }) => toolCalls.some(isKnown));
    const call = messages[position]?.toolCalls?.find(isKnown);
    const index = call && this.#answers.get(call.id);
    return index === undefined ? undefined : { index, position };
  }

  /** Returns `message` with the undeclared calls of `answer` as the model wrote them. */
  restore(message: Message, answer: Message): Message {
    const written = new Map(answer.toolCalls?.map((call) => [call.id, call]));
    const restored = message.toolCalls?.map(
      (call) => (this.#answers.has(call.id) ? written.get(call.id) : call) ?? call,
    );
    return restored ? { ...message, toolCalls: restored } : message;
  }

  clear(): void {
    this.#answers.clear();
  }
}
