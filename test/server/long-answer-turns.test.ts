import { OutgoingMessage } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sliceLength } from "../../src/protocols/logprobs.js";
import { PIECE_LENGTH } from "../../src/protocols/long-json.js";
import { AlternativesEngine } from "../helpers/alternatives-engine.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readData } from "../helpers/sse.js";

/** A long answer must not block the event loop: each of its pieces has an iteration of its own, with or without streaming. */

const WIDTH = 20;
const TOKENS = 2500;

let proxy: Proxy<AlternativesEngine>;
let url: string;
let session: StartedSession;
let iteration = 0;
let ticker: NodeJS.Immediate;
/** Bytes that responses were given, by iteration of the event loop. */
let written: Map<number, number>;

beforeAll(async () => {
  proxy = await Proxy.start({ engine: new AlternativesEngine(TOKENS, WIDTH) });
  url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
  const tick = () => {
    iteration++;
    ticker = setImmediate(tick);
  };
  tick();
});
afterAll(async () => {
  clearImmediate(ticker);
  await proxy.close();
});
beforeEach(async () => {
  session = await proxy.session();
  written = new Map();
  const count = (chunk: unknown) => {
    const bytes = typeof chunk === "string" || chunk instanceof Uint8Array ? Buffer.byteLength(chunk) : 0;
    written.set(iteration, (written.get(iteration) ?? 0) + bytes);
  };
  for (const method of ["write", "end"] as const) {
    const original = OutgoingMessage.prototype[method] as (...args: unknown[]) => never;
    vi.spyOn(OutgoingMessage.prototype, method).mockImplementation(function (
      this: OutgoingMessage,
      ...args: unknown[]
    ) {
      count(args[0]);
      return original.apply(this, args);
    });
  }
});
afterEach(() => void vi.restoreAllMocks());

async function call(path: string, body: object): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${session.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "tiny", ...body }),
  });
}

const chat = (extra: object = {}) =>
  call("/v1/chat/completions", { messages: [{ role: "user", content: "hello" }], logprobs: true, ...extra });
const respond = (extra: object = {}) =>
  call("/v1/responses", { input: "hello", include: ["message.output_text.logprobs"], ...extra });

const MOST_PER_ITERATION = 2 * PIECE_LENGTH;

/** While tokens arrive, two slices can share an iteration: the first that was read and the next. */
const MOST_STREAMED_PER_ITERATION = 2 * sliceLength(WIDTH) * (1 + WIDTH) * 75;

describe("a long answer", () => {
  it.each([
    ["a chat completion", () => chat({ top_logprobs: WIDTH }), 1, MOST_PER_ITERATION],
    ["a response", () => respond({ top_logprobs: WIDTH }), 1, MOST_PER_ITERATION],
    ["a streamed response", () => respond({ top_logprobs: WIDTH, stream: true }), 5, MOST_STREAMED_PER_ITERATION],
  ])("is sent in pieces, each in its own iteration of the event loop: %s", async (_, send, copies, most) => {
    const answer = await send();
    const text = await answer.text();
    expect(text.length).toBeGreaterThan(copies * TOKENS * WIDTH * 50);
    expect(answer.headers.get("content-length")).toBeNull();
    expect(Math.max(...written.values())).toBeLessThan(most);
  });

  it("of a stored response is sent in pieces, and has the same bytes", async () => {
    const sent = await (await respond({ top_logprobs: WIDTH })).text();
    written.clear();
    const { id } = JSON.parse(sent) as { id: string };
    const answer = await fetch(`${url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${session.key}` } });
    expect((await answer.text()) === sent).toBe(true);
    expect(Math.max(...written.values())).toBeLessThan(MOST_PER_ITERATION);
  });

  it("is the same JSON, streamed or not", async () => {
    type Output = { output: unknown };
    const [whole, stream] = [
      await respond({ top_logprobs: WIDTH }),
      await respond({ top_logprobs: WIDTH, stream: true }),
    ];
    const completed = readData<{ response: Output }>(await stream.text()).at(-1);
    const texts = ({ output }: Output) => JSON.stringify(output).replaceAll(/msg_[0-9a-f]+/g, "");
    expect(texts(completed?.response ?? { output: undefined }) === texts((await whole.json()) as Output)).toBe(true);
  });
});

it("sends a short answer in one piece with its length", async () => {
  const answer = await chat({ top_logprobs: 0, logprobs: false });
  const text = await answer.text();
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  expect([...written.values()]).toEqual([Buffer.byteLength(text)]);
});

it("reads a long output in slices, whether it is streamed or not", async () => {
  const lengths: number[] = [];
  const { model } = proxy.context;
  const createParser = model.outputParser.bind(model);
  vi.spyOn(model, "outputParser").mockImplementation((options) => {
    const parser = createParser(options);
    const push = parser.push.bind(parser);
    vi.spyOn(parser, "push").mockImplementation((ids) => {
      lengths.push(ids.length);
      return push(ids);
    });
    return parser;
  });
  await (await respond({ top_logprobs: WIDTH, stream: true })).text();
  expect(Math.max(...lengths)).toBe(sliceLength(WIDTH));
  lengths.length = 0;
  proxy.engine.tokens = 10_000;
  await (await chat({ logprobs: false })).text();
  proxy.engine.tokens = TOKENS;
  expect(lengths).toEqual([4096, 4096, 10_000 - 2 * 4096]);
});
