import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { sliceLength } from "../../src/protocols/logprobs.js";
import { AlternativesEngine } from "../helpers/alternatives-engine.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readData } from "../helpers/sse.js";

/** Answers with many log probabilities: an agent can ask for 21 entries per token. */

const WIDTH = 20;
const TOKENS = 4 * sliceLength(WIDTH) + 10;

let proxy: Proxy<AlternativesEngine>;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start({ engine: new AlternativesEngine(TOKENS, WIDTH) });
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const respond = (extra: object = {}): Promise<Reply> =>
  proxy.post(
    "/v1/responses",
    { input: "hello", include: ["message.output_text.logprobs"], top_logprobs: WIDTH, ...extra },
    session.key,
  );

type Entry = { readonly top_logprobs: readonly unknown[] };
interface ResponseBody {
  readonly id: string;
  readonly output: readonly [{ readonly content: readonly [{ readonly logprobs: readonly Entry[] }] }];
}
const readEntries = ({ output: [{ content }] }: ResponseBody) => content[0].logprobs;

it("counts the log probabilities of a stored response for its session", async () => {
  const { size } = proxy.context.registry.get(session.id).data;
  const before = size.bytes;
  await respond();
  expect(size.bytes - before).toBeGreaterThan(8 * TOKENS * (1 + WIDTH));
});

it("retrieves a stored response as it was sent", async () => {
  const sent = (await respond()).json<ResponseBody>();
  expect(readEntries(sent)).toHaveLength(TOKENS);
  expect(readEntries(sent)[0]?.top_logprobs).toHaveLength(WIDTH);
  const retrieved = await proxy.request({ url: `/v1/responses/${sent.id}` }, session.key);
  expect(retrieved.json()).toEqual(sent);
});

it("sends the log probabilities of a chat completion", async () => {
  const reply = await proxy.chat(session, [{ role: "user", content: "hello" }], {
    logprobs: true,
    top_logprobs: WIDTH,
  });
  const { choices } = reply.json<{ choices: [{ logprobs: { content: Entry[] } }] }>();
  expect(choices[0].logprobs.content).toHaveLength(TOKENS);
});

it("streams them in slices, however many tokens arrive at once", async () => {
  const extra = { logprobs: true, top_logprobs: WIDTH, stream: true };
  const reply = await proxy.chat(session, [{ role: "user", content: "hello" }], extra);
  const counts = readData<{ choices: [{ logprobs: { content: Entry[] } | null }] }>(reply.raw.toString()).map(
    ({ choices }) => choices[0].logprobs?.content.length ?? 0,
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(TOKENS);
  expect(Math.max(...counts)).toBe(sliceLength(WIDTH));
});

it("ends a stream of a response with all of them", async () => {
  const reply = await respond({ stream: true });
  const events = readData<{ type: string; response: ResponseBody }>(reply.raw.toString());
  const last = events.at(-1);
  expect(last?.type).toBe("response.completed");
  expect(last && readEntries(last.response)).toHaveLength(TOKENS);
});
