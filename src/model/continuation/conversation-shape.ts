import type { Conversation, Message, Tool } from "../../conversation/message.js";
import { hasCalls, makeFollower, makeMarker, makeStandIns, USER } from "./stand-in.js";

/** The properties of a conversation on which a probe's result depends. Each shape is probed once. */
export interface Shape {
  readonly hasSystem: boolean;
  readonly hasTools: boolean;
  /** The turn's answer calls tools. */
  readonly calls: boolean;
  /** The role of the message that follows. */
  readonly next: "tool" | "user";
}

export function describeShape(hasSystem: boolean, hasTools: boolean, answer: Message, next: Message): Shape {
  return { hasSystem, hasTools, calls: hasCalls(answer), next: next.role === "tool" ? "tool" : "user" };
}

/** The word in a probe's system message and tool. No template contains it. */
export const PROBE_WORD = "rolltapeProbe";

const SYSTEM: Message = { role: "system", content: PROBE_WORD };
const TOOL: Tool = {
  type: "function",
  function: { name: PROBE_WORD, description: PROBE_WORD, parameters: { type: "object", properties: {} } },
};
const CALL = { id: "call00001", name: "standInFunction", arguments: "{}" };

/** Makes short conversations of a shape, one for each form of the answer. The answer ends with {@link PROBE_MARKER}. */
export function makeProbes(shape: Shape, history: readonly Message[] = []): Conversation[] {
  const answer: Message = { role: "assistant", content: "", ...(shape.calls ? { toolCalls: [CALL] } : {}) };
  const tools = shape.hasTools ? { tools: [TOOL] } : {};
  return makeStandIns(answer, PROBE_MARKER).map((standIn) => {
    const follower = makeFollower({ role: shape.next, content: "" }, standIn);
    return { messages: [...(shape.hasSystem ? [SYSTEM] : []), USER, ...history, standIn, follower], ...tools };
  });
}

export const PROBE_MARKER = makeMarker([]);

/** Remembers the result of a probe for each shape. */
export class ByShape<T> {
  readonly #results = new Map<string, T>();
  readonly #probe: (shape: Shape) => T;

  constructor(probe: (shape: Shape) => T) {
    this.#probe = probe;
  }

  get(shape: Shape): T {
    const key = [shape.hasSystem, shape.hasTools, shape.calls, shape.next].join();
    const result = this.#results.get(key) ?? this.#probe(shape);
    this.#results.set(key, result);
    return result;
  }
}
