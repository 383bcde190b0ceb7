import type { MessageContent } from "./content.js";
import type { TemplateArgs } from "./template-args.js";

/** A tool call as the model wrote it. `arguments` is the original JSON text and is never re-serialized. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One message of a conversation, the same for every protocol. */
export interface Message {
  readonly role: Role;
  /** The empty text if the request has null or no content. Well-formed UTF-16. */
  readonly content: MessageContent;
  /** The model's reasoning, on assistant messages that have it. */
  readonly reasoning?: string;
  /** The client sent a signature that names no call of the session instead of the reasoning. */
  readonly hasUnknownReasoning?: true;
  readonly toolCalls?: readonly ToolCall[];
  /** With role "tool": the id of the call that this message answers. */
  readonly toolCallId?: string;
  readonly name?: string;
}

/** True for instructions to the model: system and developer messages. */
export const isSystem = (message: Message | undefined): boolean =>
  message?.role === "system" || message?.role === "developer";

/** A function tool as the request declares it, in OpenAI's shape. It is passed to the chat template unchanged. */
export interface Tool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly [key: string]: unknown };
}

/** Everything that a prompt is built from. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Tools that the model may call, but whose definition is in the messages instead of the list of tools. */
  readonly loadedTools?: readonly Tool[];
  /** The beginning of the answer, which the model continues. */
  readonly prefill?: string;
  /** Further variables for the chat template (`chat_template_kwargs`, `tool_choice`). */
  readonly templateArgs?: TemplateArgs;
}
