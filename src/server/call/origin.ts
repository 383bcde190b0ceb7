import type { IncomingHttpHeaders } from "node:http";
import { type AgentHints, type CallFacts, TAG } from "../../facts/call-facts.js";
import { ApiError } from "../../http/errors.js";
import type { RequestIdentity } from "../../session/delivery/calls-in-flight.js";

/** Which agent makes a call and for what, and which earlier request the call repeats, if any. */
export interface CallOrigin extends Pick<CallFacts, "tag" | "hints">, Omit<RequestIdentity, "requestKey"> {}

type Header = IncomingHttpHeaders[string];

const TAG_HEADER = "x-rolltape-tag";
const CLAUDE_AGENT_HEADER = "x-claude-code-agent-id";
const CLAUDE_PARENT_HEADER = "x-claude-code-parent-agent-id";
const CODEX_HEADER = "x-codex-turn-metadata";

/** Format of a hint. */
const HINT = /^[\x21-\x7e]{1,128}$/;
/** Maximum length of a header that is parsed as JSON, in characters. Codex also describes workspaces in it. */
const MAX_JSON_LENGTH = 16_384;

/**
 * Returns the origin of a model call from its headers. The hints of agent programs follow no specification, so a malformed
 * hint is ignored. The tag is Rolltape's own header, so a malformed tag is an error.
 *
 * @throws ApiError `invalid_value` if the tag is malformed
 */
export function readCallOrigin(headers: IncomingHttpHeaders): CallOrigin {
  return {
    tag: readTag(headers[TAG_HEADER]),
    hints: readHints(headers),
    retryCount: readRetryCount(headers["x-stainless-retry-count"]),
    idempotencyKey: readIdempotencyKey(headers["idempotency-key"]),
  };
}

/** Returns how often the client sent this request before. OpenAI's and Anthropic's SDKs send the number in this header. */
function readRetryCount(header: Header): number {
  const count = typeof header === "string" ? Number.parseInt(header, 10) : 0;
  return Number.isNaN(count) ? 0 : count;
}

/** Returns the key that all attempts at one request share; undefined if the SDK sends none. */
function readIdempotencyKey(header: Header): string | undefined {
  return typeof header === "string" && header !== "" ? header : undefined;
}

function readTag(header: Header): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === "string" && TAG.test(header)) return header;
  const message =
    `\`${TAG_HEADER}\` must be 1 to 64 characters of A-Z a-z 0-9 . _ : -; received ` +
    `${JSON.stringify(String(header).slice(0, 100))}.`;
  throw new ApiError("invalid_value", message, { param: TAG_HEADER });
}

/** Returns undefined if the request has no hints. One request never has the headers of both Codex and Claude Code. */
function readHints(headers: IncomingHttpHeaders): AgentHints | undefined {
  const codex = parseObject(headers[CODEX_HEADER]);
  const hints: AgentHints = {
    agentId: readHint(headers[CLAUDE_AGENT_HEADER] ?? codex["thread_id"]),
    parentAgentId: readHint(headers[CLAUDE_PARENT_HEADER] ?? codex["parent_thread_id"]),
    turnId: readHint(codex["turn_id"]),
    requestKind: readHint(codex["request_kind"]),
  };
  return Object.values(hints).some((hint) => hint !== undefined) ? hints : undefined;
}

/** Returns undefined if the value is malformed. */
function readHint(value: unknown): string | undefined {
  return typeof value === "string" && HINT.test(value) ? value : undefined;
}

function parseObject(header: Header): Readonly<Record<string, unknown>> {
  if (typeof header !== "string" || header.length > MAX_JSON_LENGTH) return {};
  try {
    const parsed: unknown = JSON.parse(header);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
