import { afterEach, expect, it } from "vitest";
import type { ServerNeeds } from "../../../src/engine/engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import type { VllmOptions } from "../../../src/engine/vllm/vllm-options.js";
import { type RecordedRequest, startRecordingServer } from "../../helpers/recording-server.js";

/** What the ready line says of a server's flags. All replies are those of vLLM 0.32.0, shortened. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

type Reply = readonly [status: number, body: unknown];
type Replies = Readonly<Record<string, (request: RecordedRequest) => Reply>>;

const NOT_FOUND: Reply = [404, { detail: "Not Found" }];
const refused = (message: string): Reply => [
  400,
  { error: { message, type: "BadRequestError", param: null, code: 400 } },
];

const IDS = [336, 394, 220, 510, 412, 220, 16, 17, 258];
const NEEDS: ServerNeeds = {
  sample: { text: "hello <|im_start|>user 12 the", ids: IDS },
  reasoning: true,
  contextLength: undefined,
};

const sampling = ({ json }: RecordedRequest): Record<string, unknown> => Object(json["sampling_params"] ?? json);
const content = (logprobs: readonly number[]) => logprobs.map((logprob) => ({ token_id: 339, logprob, rank: 1 }));

/** Answers requests for a generation in the order in which vLLM checks them. */
function generating(maxLogprobs: number, answer: Reply) {
  return (request: RecordedRequest): Reply => {
    const { logprobs, thinking_token_budget: budget } = sampling(request);
    if (Object.keys(request.json).length === 0)
      return refused("2 validation errors:\n  {'type': 'missing', 'loc': 'body.token_ids'}");
    if (Number(logprobs) > maxLogprobs)
      return refused(
        `Requested sample logprobs of ${String(logprobs)}, which is greater than max allowed: ${maxLogprobs} ` +
          `(parameter=logprobs, value=${String(logprobs)})`,
      );
    if (budget !== undefined) return [200, { choices: [{ token_ids: [339] }] }];
    return answer;
  };
}

const PROCESSED: Reply = [200, { choices: [{ logprobs: { content: content([0, 0, 0, 0]) } }] }];
const RAW: Reply = [
  200,
  { choices: [{ logprobs: { content: content([-1.8134739398956299, -2.831505298614502, -1.9865812063217163]) } }] },
];
const LOGITS: Reply = [
  200,
  {
    choices: [
      { logprobs: { token_logprobs: [5.641721248626709, 4.27325439453125, 5.338757514953613, 4.437459468841553] } },
    ],
  },
];

/** A server with every flag that Rolltape needs. */
const COMPLETE: Replies = {
  "/health": () => [200, ""],
  "/v1/models": () => [
    200,
    { object: "list", data: [{ id: "tiny", object: "model", parent: null, max_model_len: 4096 }] },
  ],
  "/is_paused": () => [200, { is_paused: false }],
  "/tokenize": () => [200, { count: 9, max_model_len: 4096, tokens: IDS, token_strs: null }],
  "/inference/v1/generate": generating(21, PROCESSED),
  "/v1/completions": generating(21, PROCESSED),
};

async function listWarnings(
  replies: Replies,
  { needs = NEEDS, ...options }: Partial<VllmOptions> & { readonly needs?: ServerNeeds } = {},
): Promise<string[]> {
  const server = await startRecordingServer({}, async (request, response) => {
    const [status, body] = { ...COMPLETE, ...replies }[request.path]?.(request) ?? NOT_FOUND;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8, ...options });
  open.push(server, engine);
  const [answer] = (await engine.servers?.readiness(AbortSignal.timeout(10_000), needs)) ?? [];
  expect(answer?.problem).toBeUndefined();
  return (answer?.warnings ?? []).map(({ about, message }) => `${about}: ${message}`);
}

const only = (pattern: RegExp) => [expect.stringMatching(pattern) as unknown];

it("says nothing of a server with all flags", async () => {
  expect(await listWarnings({})).toEqual([]);
});

it("names --enable-scale-out for a closed endpoint, and asks the rest of the other one", async () => {
  const message = "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.";
  const closed: Replies = {
    "/inference/v1/generate": () => [
      403,
      { error: { message, type: "PermissionDeniedError", param: null, code: 403 } },
    ],
  };
  expect(await listWarnings(closed)).toEqual(only(/^flag: .*`--enable-scale-out`\.$/));
  expect(await listWarnings({ "/inference/v1/generate": () => NOT_FOUND })).toEqual(only(/--enable-scale-out/));
  expect(await listWarnings(closed, { needs: { ...NEEDS, images: true } })).toEqual([
    expect.stringContaining("does not serve /inference/v1/generate"),
    expect.stringMatching(/^flag: Calls with images fail: .*`--enable-scale-out`\.$/),
  ]);
  expect(await listWarnings(closed, { api: "completions" })).toEqual([]);
  expect(
    await listWarnings({ "/inference/v1/generate": () => [403, { error: { message: "Forbidden by policy" } }] }),
  ).toEqual([]);
});

it.each([
  ["raw_logprobs", generating(21, RAW), /recorded as `raw`.*`--logprobs-mode processed_logprobs`/],
  [
    "raw_logits",
    generating(21, LOGITS),
    /reports logits instead of log probabilities.*`--logprobs-mode processed_logprobs`/,
  ],
] as const)("says what --logprobs-mode %s means", async (_, generate, pattern) => {
  expect(await listWarnings({ "/inference/v1/generate": generate })).toEqual(only(pattern));
});

it.each([
  [5, /Calls with more than 5 `top_logprobs` are refused\. Start vLLM with `--max-logprobs 21`/],
  [20, /20 `top_logprobs` may lack the least likely one\. Start vLLM with `--max-logprobs 21`/],
])("says what --max-logprobs %i does not allow", async (limit, pattern) => {
  expect(await listWarnings({ "/inference/v1/generate": generating(limit, PROCESSED) })).toEqual(only(pattern));
});

it("asks for as many alternatives as are recorded", async () => {
  const replies = { "/inference/v1/generate": generating(21, PROCESSED) };
  const needs = { ...NEEDS, topLogprobs: 64 };
  expect(await listWarnings(replies, { needs })).toEqual(only(/more than 21 `top_logprobs`.*`--max-logprobs 65`/));
});

it("does not count the sampled token where the endpoint does not", async () => {
  const generate = generating(20, PROCESSED);
  expect(await listWarnings({ "/v1/completions": generate }, { api: "completions" })).toEqual([]);
});

it("names VLLM_SERVER_DEV_MODE for a server without /is_paused", async () => {
  expect(await listWarnings({ "/is_paused": () => NOT_FOUND })).toEqual(only(/`VLLM_SERVER_DEV_MODE=1`/));
});

it("names --tokens-only for a server that takes no stop strings", async () => {
  const message =
    "stop strings are not supported on a --tokens-only server because detokenization is disabled. Check stop strings on the " +
    "coordinator, or use stop_token_ids.";
  const generate = generating(21, PROCESSED);
  const replies: Replies = {
    "/inference/v1/generate": (request) => ("stop" in sampling(request) ? refused(message) : generate(request)),
    "/tokenize": () => refused("Tokenizer not available when `skip_tokenizer_init=True`"),
  };
  expect(await listWarnings(replies)).toEqual(
    only(/refuses grammars and does not search for stop strings.*`--tokens-only`/),
  );
});

it("names --return-sampling-mask if masks are to be recorded", async () => {
  const needs = { ...NEEDS, masks: true };
  const pattern = /Sampling masks are not recorded.*`--enable-scale-out --return-sampling-mask`/;
  expect(await listWarnings({}, { needs })).toEqual(only(pattern));
  expect(await listWarnings({}, { needs, api: "completions" })).toEqual(only(pattern));
});

it("finds the flags of a server that returns sampling masks, too", async () => {
  const generate = generating(5, [200, { choices: [{ sampling_mask: [[339]] }] }]);
  const hidden: Reply = [500, { error: { message: "", type: "InternalServerError", param: null, code: 500 } }];
  const replies: Replies = {
    "/inference/v1/generate": (request) =>
      "sampling_params" in request.json && !(Number(sampling(request)["top_k"]) > 0) ? hidden : generate(request),
  };
  expect(await listWarnings(replies, { needs: { ...NEEDS, masks: true } })).toEqual(only(/more than 5 `top_logprobs`/));
});

it("names --reasoning-parser if the model reasons", async () => {
  const message =
    "thinking_token_budget is set but reasoning_config is not configured. Please set --reasoning-parser and/or " +
    "--reasoning-config to use thinking_token_budget.";
  const generate = generating(21, PROCESSED);
  const replies: Replies = {
    "/inference/v1/generate": (request) =>
      "thinking_token_budget" in sampling(request) ? refused(message) : generate(request),
  };
  expect(await listWarnings(replies)).toEqual(only(/Thinking budgets are not enforced.*`--reasoning-parser`/));
  expect(await listWarnings(replies, { needs: { ...NEEDS, reasoning: false } })).toEqual([]);
});

it("says where the server's tokenizer differs", async () => {
  const tokens = [336, 394, 220, 27, 91];
  expect(await listWarnings({ "/tokenize": () => [200, { count: 5, max_model_len: 4096, tokens }] })).toEqual(
    only(/^tokenizer: .*token 3 of a prompt is 27 there and 510 here/),
  );
});

it("says that more tokens are configured than the server takes", async () => {
  expect(await listWarnings({}, { contextLength: 8192, needs: { ...NEEDS, contextLength: 8192 } })).toEqual(
    only(/^context: The server takes at most 4096 tokens.*8192 are configured.*`--max-model-len`/),
  );
});
