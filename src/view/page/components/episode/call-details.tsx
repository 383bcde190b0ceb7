import { useState } from "preact/hooks";
import type { TranscriptInteraction } from "../../../../transcript/format.js";
import { formatTime } from "../../state/format.js";
import { InertText } from "../inert-text.js";
import { FoldedText } from "./folded-text.js";

/** Details that are rarely read: origin, sampling parameters, tools. They are rendered when opened. */
export function CallDetails({ interaction }: { readonly interaction: TranscriptInteraction }) {
  const [isOpen, setOpen] = useState(false);
  const { tools } = interaction;
  return (
    <details class="call-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{tools ? `Details, ${tools.length} tools` : "Details"}</summary>
      {isOpen && (
        <>
          <Facts interaction={interaction} />
          {tools?.map((tool, at) => (
            <details key={at} class="tool">
              <summary>
                <code>
                  <InertText text={String(tool.function.name)} />
                </code>
              </summary>
              <FoldedText text={JSON.stringify(tool.function, null, 2)} isCode />
            </details>
          ))}
        </>
      )}
    </details>
  );
}

function Facts({ interaction }: { readonly interaction: TranscriptInteraction }) {
  const { id, api, requested_model, request_kind, tag, agent_id, parent_agent_id, created_at, sampling } = interaction;
  const facts = Object.entries({
    id,
    created: formatTime(created_at),
    api,
    requested_model,
    request_kind,
    tag,
    agent_id,
    parent_agent_id,
    ...sampling,
  }).filter(([, value]) => value !== undefined && value !== null);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <InertText text={name} />
          </dt>
          <dd>
            <InertText text={String(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
