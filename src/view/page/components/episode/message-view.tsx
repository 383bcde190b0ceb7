import { showAsText } from "../../../../conversation/media.js";
import type { Message, ToolCall } from "../../../../conversation/message.js";
import { plural } from "../../state/format.js";
import { indentJson } from "../../state/indent-json.js";
import { InertText } from "../inert-text.js";
import { FoldedText } from "./folded-text.js";

interface MessageViewProps {
  readonly message: Message;
  /** True for the answer of this call. */
  readonly isAnswer?: boolean;
}

export function MessageView({ message, isAnswer }: MessageViewProps) {
  const content = showAsText(message.content);
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
        {content !== "" && <FoldedText text={isTool ? (indentJson(content) ?? content) : content} isCode={isTool} />}
        {toolCalls?.map((call, at) => (
          <ToolCallView key={at} call={call} />
        ))}
        {content === "" && !reasoning && !toolCalls?.length && <p class="quiet">empty</p>}
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
