import { afterEach, expect, it } from "vitest";
import type { ServerNeeds } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { readCapture } from "../../helpers/captures.js";
import { startRecordingServer } from "../../helpers/recording-server.js";

/** What the ready line says of a server's flags. All replies are those of SGLang 0.5.23. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** Of a server that was started without any of the flags. */
const INFO = JSON.parse(readCapture("sglang", "usual", "server-info").body) as Readonly<Record<string, unknown>>;
const DETERMINISTIC = { ...INFO, enable_deterministic_inference: true };
const IDS = [336, 394, 220, 510, 412, 220, 16, 17, 258];
const NEEDS: ServerNeeds = {
  sample: { text: "hello <|im_start|>user 12 the", ids: IDS },
  reasoning: false,
  contextLength: undefined,
};

interface Options {
  /** The server has the information at the path of older versions. */
  readonly isOlder?: boolean;
  readonly info?: object;
  readonly model?: object;
  readonly needs?: Partial<ServerNeeds>;
  readonly tokens?: readonly number[];
  /** Key of the server's control endpoints, and the key that is sent. */
  readonly keys?: readonly [server: string, sent: string | undefined];
}

async function listWarnings({
  info = DETERMINISTIC,
  model = {},
  needs,
  tokens = IDS,
  keys,
  isOlder = false,
}: Options): Promise<string[]> {
  const server = await startRecordingServer({}, async ({ path, headers }, response) => {
    const isAdmin = keys === undefined || headers.authorization === `Bearer ${keys[0]}`;
    const [status, body] =
      path === "/abort_request" && !isAdmin
        ? [401, { error: "Unauthorized" }]
        : path === "/tokenize"
          ? [200, { tokens, count: tokens.length, max_model_len: 131_072 }]
          : path === "/server_info" && isOlder
            ? [404, {}]
            : [200, /^\/(?:get_)?server_info$/.test(path) ? info : path === "/model_info" ? model : ""];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const engine = createSglangEngine({
    urls: [server.url],
    timeoutSeconds: 0,
    maxInflight: 8,
    adminApiKey: keys?.[1],
  });
  open.push(server, engine);
  const [answer] = (await engine.servers?.readiness(AbortSignal.timeout(10_000), { ...NEEDS, ...needs })) ?? [];
  expect(answer?.problem).toBeUndefined();
  expect(server.requests.map(({ path }) => path)).not.toContain("/generate");
  return (answer?.warnings ?? []).map(({ about, message }) => `${about}: ${message}`);
}

const only = (pattern: RegExp) => [expect.stringMatching(pattern) as unknown];

it("says nothing of a server with all flags", async () => {
  expect(await listWarnings({})).toEqual([]);
});

it("warns of a model that sees no images if prompts have images", async () => {
  const model = { has_image_understanding: false };
  expect(await listWarnings({ model, needs: { images: true } })).toEqual(only(/^flag: .* model sees no images/));
  expect(await listWarnings({ model: { has_image_understanding: true }, needs: { images: true } })).toEqual([]);
  expect(await listWarnings({ model })).toEqual([]);
});

it("says nothing of flags that an older server does not report", async () => {
  expect(await listWarnings({ info: { context_length: 4096 }, needs: { reasoning: true } })).toEqual([]);
});

it.each([
  [{ enable_deterministic_inference: false }, /`seed` has no effect.*`--enable-deterministic-inference`/],
  [{ grammar_backend: "none" }, /need a grammar are refused.*`--grammar-backend none`/],
  [{ skip_tokenizer_init: true }, /refuses stop strings and grammars.*`--skip-tokenizer-init`/],
])("says what %o means", async (flag, pattern) => {
  expect(await listWarnings({ info: { ...DETERMINISTIC, ...flag } })).toEqual(only(pattern));
});

it("asks older versions at their own path", async () => {
  expect(await listWarnings({ isOlder: true, info: { ...DETERMINISTIC, grammar_backend: "none" } })).toEqual(
    only(/need a grammar are refused/),
  );
});

it("names the flags of thinking budgets if the model reasons", async () => {
  const pattern = /Thinking budgets are not enforced.*`--enable-strict-thinking` and `--reasoning-parser`/;
  const strict = { ...DETERMINISTIC, enable_strict_thinking: true };
  expect(await listWarnings({ needs: { reasoning: true } })).toEqual(only(pattern));
  expect(await listWarnings({ info: strict, needs: { reasoning: true } })).toEqual(only(pattern));
  expect(await listWarnings({ info: { ...strict, reasoning_parser: "qwen3" }, needs: { reasoning: true } })).toEqual(
    [],
  );
});

it("says that the key of the control endpoints is missing", async () => {
  expect(await listWarnings({ keys: ["sk-a", undefined] })).toEqual(only(/^admin_key: .*HTTP 401.*`--admin-api-key`/));
  expect(await listWarnings({ keys: ["sk-a", "sk-a"] })).toEqual([]);
});

it("says where the server's tokenizer differs", async () => {
  expect(await listWarnings({ tokens: IDS.slice(0, 8) })).toEqual(
    only(/^tokenizer: .*token 8 of a prompt is missing there and 258 here/),
  );
});

it("says that more tokens are configured than the server takes", async () => {
  expect(await listWarnings({ needs: { contextLength: 8192 } })).toEqual(
    only(/^context: The server takes at most 506 tokens.*8192 are configured.*`--context-length`/),
  );
});
