import { listParts } from "../../../../conversation/content.js";
import type { Message, ToolCall } from "../../../../conversation/message.js";
import type { Source } from "../../../api.js";
import { plural } from "../../state/format.js";
import { indentJson } from "../../state/indent-json.js";
import { ImageView } from "../image-view.js";
import { InertText } from "../inert-text.js";
import { FoldedText } from "./folded-text.js";

interface MessageViewProps {
  readonly source: Source;
  readonly episode: number;
  readonly message: Message;
  /** True for the answer of this call. */
  readonly isAnswer?: boolean;
}

export function MessageView({ source, episode, message, isAnswer }: MessageViewProps) {
  const parts = listParts(message.content).filter((part) => part.type !== "text" || part.text !== "");
  const { role, reasoning, toolCalls, toolCallId, name } = message;
  const isTool = role === "tool";
  return (
    <div class={`message ${ROLES.has(role) ? role : "other"}${isAnswer ? " answer" : ""}`}>
      <p class="role">
        <InertText text={isAnswer ? "answer" : isTool ? "tool result" : role} />
        {name !== undefined && (
          <>
            {" "}
            <code>
              <InertText text={name} />
            </code>
          </>
        )}
        {toolCallId !== undefined && (
          <span class="quiet">
            {" "}
            <InertText text={toolCallId} />
          </span>
        )}
      </p>
      <div class="message-body">
        {reasoning !== undefined && reasoning !== "" && <Reasoning text={reasoning} />}
        {parts.map((part, at) =>
          part.type === "image" ? (
            <ImageView key={at} source={source} episode={episode} image={part} />
          ) : (
            <FoldedText key={at} text={isTool ? (indentJson(part.text) ?? part.text) : part.text} isCode={isTool} />
          ),
        )}
        {toolCalls?.map((call, at) => (
          <ToolCallView key={at} call={call} />
        ))}
        {parts.length === 0 && !reasoning && !toolCalls?.length && <p class="quiet">empty</p>}
      </div>
    </div>
  );
}

const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool"]);

function Reasoning({ text }: { readonly text: string }) {
  return (
    <details class="reasoning">
      <summary>Reasoning, {plural(text.split(/\s+/).length, "word")}</summary>
      <FoldedText text={text} />
    </details>
  );
}

function ToolCallView({ call }: { readonly call: ToolCall }) {
  const indented = indentJson(call.arguments);
  return (
    <div class="tool-call">
      <p>
        <code class="tool-name">
          <InertText text={call.name} />
        </code>{" "}
        <span class="quiet">
          <InertText text={call.id} />
        </span>
        {indented === undefined && <span class="tag warns">not JSON</span>}
      </p>
      <FoldedText text={indented ?? call.arguments} isCode />
    </div>
  );
}
