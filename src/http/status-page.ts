import type { FastifyReply, FastifyRequest } from "fastify";

/** The pages of every server. */
const LINKS = ["/readyz", "/metrics", "/openapi.json"] as const;

/** No script, no form, no other address, and no frame around the page. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}";

/** Returns true if a browser asks. Agent programs that probe `/` accept any type and get JSON. */
export function wantsPage({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes("text/html") === true;
}

/** Sends the page of a server: version and state, which anybody may read. */
export function sendStatusPage(
  reply: FastifyReply,
  facts: { readonly version: string; readonly state: string; readonly hasViewer: boolean },
): FastifyReply {
  const paths = facts.hasViewer ? ["/ui/", ...LINKS] : LINKS;
  const links = paths.map((path) => `<li><a href="${path}">${path}</a></li>`).join("");
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rolltape</title><style>${STYLE}</style></head>
<body><main><h1>Rolltape</h1><p>Version ${escapeHtml(facts.version)}. State: <strong>${escapeHtml(facts.state)}</strong>.</p>
<nav aria-label="Pages"><ul>${links}</ul></nav></main></body></html>
`;
  return reply
    .header("content-security-policy", POLICY)
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(page);
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)?.toString() ?? ""};`);
