import Fastify from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { sendStatusPage, wantsPage } from "../../src/http/status-page.js";

async function get(facts: { version: string; state: string; hasViewer: boolean }, accept?: string) {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.get("/", (request, reply) => (wantsPage(request) ? sendStatusPage(reply, facts) : reply.send({ page: false })));
  return app.inject({ url: "/", headers: accept === undefined ? {} : { accept } });
}

const FACTS = { version: "1.2", state: "ready", hasViewer: false };

it("is for browsers only", async () => {
  for (const accept of [undefined, "*/*", "application/json"]) {
    expect((await get(FACTS, accept)).json()).toEqual({ page: false });
  }
});

it("shows the version and the state as text, and links to the pages of the server", async () => {
  const { body } = await get({ ...FACTS, state: `<b title='"'>&` }, "text/html,*/*");
  expect(body).toContain("Version 1.2. State: <strong>&#60;b title=&#39;&#34;&#39;&#62;&#38;</strong>.");
  const links = (html: string) => Array.from(html.matchAll(/<li><a href="(.*?)">(.*?)<\/a><\/li>/g), ([, to]) => to);
  expect(links(body)).toEqual(["/readyz", "/metrics", "/openapi.json"]);
  const { body: withViewer } = await get({ ...FACTS, hasViewer: true }, "text/html");
  expect(links(withViewer)).toEqual(["/ui/", "/readyz", "/metrics", "/openapi.json"]);
});

it("has no script, no frame around it, and is not kept", async () => {
  const { headers } = await get(FACTS, "text/html");
  expect(headers).toMatchObject({
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  });
});
