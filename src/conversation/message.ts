import type { TemplateArgs } from "./template-args.js";

/** A tool call as the model made it. `arguments` is the raw JSON text, never re-spelled. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One message of a conversation, the same for every protocol. */
export interface Message {
  readonly role: Role;
  /** Text parts joined; empty where the protocol had null or nothing. Well-formed UTF-16. */
  readonly content: string;
  /** The model's reasoning, on assistant messages that carry it. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** On role "tool": the call that this is the result of. */
  readonly toolCallId?: string;
  readonly name?: string;
}

/** A function tool as the request declares it: OpenAI's shape, passed to the chat template as it is. */
export interface Tool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly [key: string]: unknown };
}

/** What a prompt is made of. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** The beginning of the answer, which the model goes on with. */
  readonly prefill?: string;
  /** Further variables for the chat template (`chat_template_kwargs`, `tool_choice`). */
  readonly templateArgs?: TemplateArgs;
}
