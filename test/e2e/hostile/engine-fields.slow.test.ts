import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { startVictim, type Victim } from "./victim.js";

/**
 * Only listed fields are sent to engines. An agent's request cannot set others, which could stop an engine or change its records.
 * Every field that the engines' request classes have is tried at every place of a request that has fields, in every protocol.
 */

/** The fields of the classes, by engine with its version and class. */
const CLASSES = JSON.parse(
  readFileSync(new URL("../../fixtures/engines/request-fields.json", import.meta.url), "utf8"),
) as Record<string, Record<string, string[]>>;
const NAMES = [...new Set(Object.values(CLASSES).flatMap((classes) => Object.values(classes).flat()))].sort();

const listNames = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** The fields that each endpoint of an engine may receive. */
const SENT: Readonly<Record<string, ReadonlySet<string>>> = {
  "/generate":
    listNames(`input_ids sampling_params return_logprob logprob_start_len top_logprobs_num return_text_in_logprobs stream rid
    max_new_tokens min_new_tokens n temperature top_p top_k min_p frequency_penalty presence_penalty
    repetition_penalty ignore_eos stop_token_ids skip_special_tokens spaces_between_special_tokens logit_bias stop
    no_stop_trim sampling_seed`),
  "/inference/v1/generate":
    listNames(`token_ids model request_id stream stream_options include_usage sampling_params detokenize max_tokens
    min_tokens n temperature top_p top_k min_p logprobs seed frequency_penalty presence_penalty repetition_penalty
    ignore_eos stop_token_ids skip_special_tokens spaces_between_special_tokens logit_bias stop
    thinking_token_budget`),
};

/** A value that is easy to find in what an engine got. */
const MARK = "mark-5150";
const VALUES: readonly unknown[] = [MARK, 5150, [5150], { [MARK]: 5150 }, true];

const user = { role: "user", content: "a" };
const contents = [{ role: "user", parts: [{ text: "a" }] }];

/** Each protocol with the places of its request that have fields. */
const PROTOCOLS: Readonly<Record<string, readonly [path: string, places: Record<string, (extra: object) => object>]>> =
  {
    chat: [
      "/v1/chat/completions",
      {
        body: (extra) => ({ messages: [user], ...extra }),
        "a message": (extra) => ({ messages: [{ ...user, ...extra }] }),
        stream_options: (extra) => ({ messages: [user], stream: true, stream_options: extra }),
        extra_body: (extra) => ({ messages: [user], extra_body: extra }),
        sampling_params: (extra) => ({ messages: [user], sampling_params: extra }),
      },
    ],
    responses: [
      "/v1/responses",
      {
        body: (extra) => ({ input: "a", ...extra }),
        "an item": (extra) => ({ input: [{ ...user, ...extra }] }),
        text: (extra) => ({ input: "a", text: extra }),
        reasoning: (extra) => ({ input: "a", reasoning: extra }),
      },
    ],
    messages: [
      "/v1/messages",
      {
        body: (extra) => ({ messages: [user], max_tokens: 9, ...extra }),
        "a message": (extra) => ({ messages: [{ ...user, ...extra }], max_tokens: 9 }),
        thinking: (extra) => ({ messages: [user], max_tokens: 9, thinking: { type: "disabled", ...extra } }),
        metadata: (extra) => ({ messages: [user], max_tokens: 9, metadata: extra }),
      },
    ],
    "generate content": [
      "/v1beta/models/tiny:generateContent",
      {
        body: (extra) => ({ contents, ...extra }),
        "a content": (extra) => ({ contents: [{ ...contents[0], ...extra }] }),
        generationConfig: (extra) => ({ contents, generationConfig: extra }),
      },
    ],
  };

const ENGINES = {
  sglang: {
    path: "/generate",
    start: startSglangServer,
  },
  vllm: {
    path: "/inference/v1/generate",
    start: startVllmServer,
  },
} as const;

/** Returns the names of all fields in a request, and of those in its objects, except for the keys of `logit_bias`. */
function listFields(json: object): string[] {
  return Object.entries(json).flatMap(([name, value]) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && name !== "logit_bias";
    return [name, ...(isObject ? listFields(value as object) : [])];
  });
}

describe.each(Object.entries(ENGINES))("an agent of a %s server", (type, { path, start }) => {
  let server: Awaited<ReturnType<typeof startSglangServer>>;
  let victim: Victim;
  let key: string;
  beforeAll(async () => {
    server = (await start()) as typeof server;
    victim = await startVictim([`engine.type=${type}`, `engine.urls=[${server.url}]`]);
    key = (await victim.session()).key;
  });
  afterAll(async () => {
    await victim.stop();
    await server.close();
  });

  const cases = Object.entries(PROTOCOLS).flatMap(([protocol, [url, places]]) =>
    Object.entries(places).map(([place, build]) => ({ protocol, place, url, build })),
  );

  it.each(cases)(
    "cannot send it a field that is not on the list, with $protocol in $place",
    async ({ place, url, build }) => {
      const sent = SENT[path] ?? new Set();
      const leaks: string[] = [];
      const refusals: string[] = [];
      let answered = 0;
      for (const name of NAMES) {
        for (const value of place === "body" ? VALUES : VALUES.slice(0, 1)) {
          const before = server.to(path).length;
          const { status } = await victim.post(url, build({ [name]: value }), key);
          if (status === 200) answered++;
          else if (status !== 400) refusals.push(`${name}: ${status}`);
          for (const { json } of server.to(path).slice(before)) {
            const fields = listFields(json as object);
            const unlisted = fields.filter((field) => !sent.has(field));
            if (unlisted.length > 0) leaks.push(`${name}: ${unlisted.join(" ")}`);
            const isListed = sent.has(name) || name === "stop_sequences" || name === "stopSequences";
            if (!isListed && JSON.stringify(json).includes(MARK)) leaks.push(`${name}: ${JSON.stringify(value)}`);
          }
        }
      }
      expect({ leaks, refusals }).toEqual({ leaks: [], refusals: [] });
      // Unknown fields of a part are ignored; those of a body are refused.
      expect(answered).toBeLessThan(place === "body" ? (NAMES.length * VALUES.length) / 4 : NAMES.length + 1);
    },
    120_000,
  );
});
