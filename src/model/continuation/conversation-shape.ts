import type { Conversation, Message, Tool } from "../../conversation/message.js";
import { followerLike, hasCalls, markerFor, standInsFor, USER } from "./stand-in.js";

/** What a rendering behind a turn may depend on: found out once for each shape. */
export interface Shape {
  readonly hasSystem: boolean;
  readonly hasTools: boolean;
  /** The turn's answer calls tools. */
  readonly calls: boolean;
  /** The role of the message that follows. */
  readonly next: "tool" | "user";
}

export function shapeOf(hasSystem: boolean, hasTools: boolean, answer: Message, next: Message): Shape {
  return { hasSystem, hasTools, calls: hasCalls(answer), next: next.role === "tool" ? "tool" : "user" };
}

/** Word that a probe's system message and tool consist of, which no template writes of its own accord. */
export const PROBE_WORD = "rolltapeProbe";

const SYSTEM: Message = { role: "system", content: PROBE_WORD };
const TOOL: Tool = {
  type: "function",
  function: { name: PROBE_WORD, description: PROBE_WORD, parameters: { type: "object", properties: {} } },
};
const CALL = { id: "call00001", name: "standInFunction", arguments: "{}" };

/** Short conversations of a shape, in each form that an answer may take: {@link PROBE_MARKER} ends the answer. */
export function probesOf(shape: Shape, history: readonly Message[] = []): Conversation[] {
  const answer: Message = { role: "assistant", content: "", ...(shape.calls ? { toolCalls: [CALL] } : {}) };
  const tools = shape.hasTools ? { tools: [TOOL] } : {};
  return standInsFor(answer, PROBE_MARKER).map((stand) => {
    const follower = followerLike({ role: shape.next, content: "" }, stand);
    return { messages: [...(shape.hasSystem ? [SYSTEM] : []), USER, ...history, stand, follower], ...tools };
  });
}

export const PROBE_MARKER = markerFor([]);

/** Answers of a question about shapes, each asked once. */
export class ByShape<T> {
  readonly #known = new Map<string, T>();
  readonly #ask: (shape: Shape) => T;

  constructor(ask: (shape: Shape) => T) {
    this.#ask = ask;
  }

  get(shape: Shape): T {
    const key = [shape.hasSystem, shape.hasTools, shape.calls, shape.next].join();
    const known = this.#known.get(key) ?? this.#ask(shape);
    this.#known.set(key, known);
    return known;
  }
}
