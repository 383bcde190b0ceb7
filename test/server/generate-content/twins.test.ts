import { afterAll, beforeAll, expect, it } from "vitest";
import type { WireExport } from "../../helpers/export-json.js";
import { Proxy } from "../../helpers/proxy.js";

/** Calls with the same messages and answer differ in their signatures only. */

let proxy: Proxy;
beforeAll(async () => {
  proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
});
afterAll(() => proxy.close());

interface Answer {
  readonly responseId: string;
  readonly candidates: readonly [{ readonly content: object }];
}

it("distinguishes calls with the same messages and answer by the signature that the next turn sends back", async () => {
  const session = await proxy.session();
  const send = async (contents: readonly object[]) =>
    (await proxy.post("/v1beta/models/m:generateContent", { contents }, session.key)).json<Answer>();
  const question = { role: "user", parts: [{ text: "hello" }] };
  const twins = [await send([question]), await send([question]), await send([question])];
  const next = [];
  for (const { candidates } of twins) next.push(await send([question, candidates[0].content, question]));
  await proxy.end(session);
  const { interactions } = (await proxy.export(session)).json<WireExport>();
  const parents = next.map(({ responseId }) => interactions[responseId]?.parent_id);
  expect(parents).toEqual(twins.map(({ responseId }) => responseId));
});
