import { afterAll, beforeAll, expect, it } from "vitest";
import type { WireExport } from "../../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../../helpers/proxy.js";

/** Images, files and audio in Gemini's requests with `rollout.agent.images: placeholder`. */

const PATH = "/v1beta/models/tiny:generateContent";

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start({ settings: { images: "placeholder", chatTemplateType: "concat" } });
  session = await proxy.session();
});
afterAll(() => proxy.close());

const user = (...parts: object[]) => ({ role: "user", parts });
const lastPrompt = () => [...(proxy.engine.calls.at(-1)?.prompt.tokens() ?? [])];
const post = (contents: object[]) => proxy.post(PATH, { contents }, session.key);
const readCount = ({ headers }: Reply) => headers["x-rolltape-placeholders"];

const inline = (mimeType: string) => ({ inlineData: { mimeType, data: "AAAA" } });
const asked = [
  user({ text: "look" }),
  { role: "model", parts: [{ functionCall: { name: "look", id: "1", args: {} } }] },
];
const answered = (response: object) => [...asked, user({ functionResponse: { name: "look", id: "1", ...response } })];

it.each([
  [
    "an image between texts",
    [user({ text: "see " }, inline("image/png"), { text: "?" })],
    [user({ text: "see [image]?" })],
    "1",
  ],
  ["audio and a film", [user(inline("audio/wav"), inline("video/mp4"))], [user({ text: "[audio][file]" })], "2"],
  ["a file by its address", [user({ fileData: { fileUri: "gs://a/b" } })], [user({ text: "[file]" })], "1"],
  [
    "names in snake_case",
    [user({ inline_data: { mime_type: "image/png", data: "AA" } })],
    [user({ text: "[image]" })],
    "1",
  ],
  [
    "an image beside a response",
    answered({ response: { output: "seen " }, parts: [inline("image/png")] }),
    answered({ response: { output: "seen [image]" } }),
    "1",
  ],
])("shows %s as text, in its place", async (_, contents, shown, count) => {
  expect(readCount(await post(shown))).toBeUndefined();
  const expected = lastPrompt();
  const reply = await post(contents);
  expect([reply.status, readCount(reply)]).toEqual([200, count]);
  expect(lastPrompt()).toEqual(expected);
});

it("counts the tokens of an image's placeholder", async () => {
  const count = (part: object) =>
    proxy
      .post("/v1beta/models/tiny:countTokens", { contents: [user(part)] }, session.key)
      .then((reply) => reply.json());
  expect(await count(inline("image/png"))).toEqual(await count({ text: "[image]" }));
});

it("continues token by token when the image is sent again, and keeps none of its data", async () => {
  const own = await proxy.session();
  const contents = [user({ inlineData: { mimeType: "image/png", data: "Zm9v".repeat(75_000) } })];
  const first = (await proxy.post(PATH, { contents }, own.key)).json<{ candidates: [{ content: object }] }>();
  const next = [...contents, first.candidates[0].content, user({ text: "and now?" })];
  await proxy.post(PATH, { contents: next }, own.key);
  await proxy.end(own);
  const raw = (await proxy.export(own, { include: ["messages"] })).raw.toString();
  expect(raw).not.toContain("Zm9v");
  expect(Object.values((JSON.parse(raw) as WireExport).interactions)).toMatchObject([
    { token_exact: false, placeholders: 1 },
    { token_exact: true, placeholders: 1 },
  ]);
});
