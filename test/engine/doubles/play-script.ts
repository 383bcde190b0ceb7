import type { CapturedEngine } from "../../helpers/captures.js";
import type { Fault, GenerateRequest } from "../../helpers/sglang/protocol.js";
import { type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer, type VllmServerOptions } from "../../helpers/vllm/vllm-server.js";
import type { LoadFault } from "../../helpers/weight-loads.js";
import { type Capture, type CaptureRequest, exchange } from "../../real/capture/exchange.js";
import type { Script, Stage } from "../../real/capture/script.js";
import { SGLANG } from "../../real/capture/sglang.js";
import { VLLM } from "../../real/capture/vllm.js";

interface Double {
  readonly url: string;
  fault(fault: Fault): void;
  readonly loads: { readonly faults: LoadFault[] };
  killEngine?(): void;
  close(): Promise<void>;
}

export interface Case {
  readonly engine: CapturedEngine;
  readonly scriptName: string;
  readonly script: Script | undefined;
  readonly start: () => Promise<Double>;
  /** What the double cannot find out itself: the names of the answers begin with the key. */
  readonly faults?: Readonly<Record<string, Fault>>;
  readonly loadFaults?: Readonly<Record<string, string>>;
}

/** The letter "a" and the end of texts of the model that was captured. */
const [LETTER, END] = [64, 511];

/** Ends where the real model did: at a stop token, at the end of its text, or not before the token limit. */
function complete({ sampling, rid }: GenerateRequest): number[] {
  const { max_new_tokens: limit, stop } = sampling;
  // What the request makes certain comes at once, unless it asks for other tokens before.
  if (rid.includes("eos-alone") || (sampling["min_new_tokens"] === 0 && sampling.stop_token_ids.length > 0)) return [];
  if (stop.length > 0) return Array.from({ length: 9 }, () => LETTER);
  return Array.from({ length: limit === 9 ? 3 : 600 }, (_, index) => 100 + (index % 300));
}

const VLLM_DOUBLE: VllmServerOptions = {
  complete,
  contextLength: 512,
  eosTokenId: END,
  tokenMilliseconds: 2,
  tokenText: (id) => (id === LETTER ? "a" : ` t${id}`),
  maxLogprobs: 21,
};

const SGLANG_DOUBLE: SglangServerOptions = {
  complete,
  contextLength: 512,
  eosTokenId: END,
  tokenMilliseconds: 2,
  tokenText: (id) => (id === LETTER ? "a" : ` t${id}`),
  cachedTokens: cachedAfter("length"),
};

/** The first generation of a script finds an empty cache. */
function cachedAfter(first: string) {
  return ({ rid }: GenerateRequest): number => (rid === first ? 0 : 5);
}

const BAD_GRAMMAR =
  "Failed to compile regex grammar: [14:49:47] /project/cpp/regex_converter.cc:83: " +
  "Regex parsing error at position 2: The parenthesis is not closed.\n";

export const CASES: readonly Case[] = [
  {
    engine: "vllm",
    scriptName: "development",
    script: VLLM["development"],
    start: () => startVllmServer(VLLM_DOUBLE),
    faults: Object.fromEntries(
      ["generate", "completions"].flatMap((endpoint): [string, Fault][] => [
        [
          `${endpoint}-refused-grammar`,
          { kind: "refused", message: 'Grammar error: at 1(8): invalid regex "(" (in regex): regex parse error:\n' },
        ],
        [
          `${endpoint}-refused-logit-bias`,
          {
            kind: "refused",
            message:
              "token_id(s) [99999] in logit_bias contain out-of-vocab token ids. " +
              "Vocabulary size: 512 (parameter=logit_bias, value=[99999])",
            param: "logit_bias",
          },
        ],
      ]),
    ),
    loadFaults: {
      "load-missing":
        "Repo id must be in the form 'repo_name' or 'namespace/repo_name': '<path>'. " +
        "Use `repo_type` argument if needed.",
      "load-wrong-shape": "",
    },
  },
  {
    engine: "vllm",
    scriptName: "plain",
    script: VLLM["plain"],
    start: () =>
      startVllmServer({
        ...VLLM_DOUBLE,
        apiKey: "sk-capture",
        scaleOut: false,
        missingPaths: [
          "/pause",
          "/resume",
          "/weight_info",
          "/collective_rpc",
          "/update_weight_version",
          "/reset_prefix_cache",
        ],
      }),
  },
  {
    engine: "vllm",
    scriptName: "tokens-only",
    script: VLLM["tokens-only"],
    start: () => startVllmServer({ ...VLLM_DOUBLE, tokensOnly: true, cachedTokens: () => 0 }),
  },
  { engine: "vllm", scriptName: "dead", script: VLLM["dead"], start: () => startVllmServer(VLLM_DOUBLE) },
  {
    engine: "sglang",
    scriptName: "usual",
    script: SGLANG["usual"],
    start: () => startSglangServer({ ...SGLANG_DOUBLE, maxRunning: 2, maxQueued: 2, healthMilliseconds: 100 }),
    faults: {
      "refused-grammar": { kind: "bad-grammar", message: BAD_GRAMMAR },
      "refused-logit-bias": { kind: "refused", message: "logit_bias must has keys in [0, 511], got 99999." },
    },
    loadFaults: {
      "load-missing":
        "Failed to get weights iterator: Repo id must be in the form 'repo_name' or 'namespace/repo_name': " +
        "'/tmp/rolltape-capture/none'. Use `repo_type` argument if needed..",
    },
  },
  {
    engine: "sglang",
    scriptName: "incremental",
    script: SGLANG["incremental"],
    start: () =>
      startSglangServer({
        ...SGLANG_DOUBLE,
        incremental: true,
        cachedTokens: cachedAfter("length-stream"),
        apiKey: "sk-capture",
        adminApiKey: "sk-capture-admin",
      }),
    faults: { "refused-grammar": { kind: "bad-grammar", message: BAD_GRAMMAR } },
  },
  {
    engine: "sglang",
    scriptName: "skip-tokenizer",
    script: SGLANG["skip-tokenizer"],
    start: () => startSglangServer({ ...SGLANG_DOUBLE, skipTokenizerInit: true }),
  },
];

/** Runs a script against a double. */
export async function play({ script, start, faults = {}, loadFaults = {} }: Case): Promise<Map<string, Capture>> {
  const double = await start();
  const taken = new Map<string, Capture>();
  const send = (name: string, request: CaptureRequest) => {
    const fault = faults[name.replace(/-stream$/, "")];
    if (fault) double.fault(fault);
    const message = loadFaults[name];
    if (message !== undefined) double.loads.faults.push({ kind: "fail", message, untouched: name === "load-missing" });
    const sent = exchange(double.url, request);
    sent.capture.then(
      (capture) => taken.set(name, capture),
      () => undefined,
    );
    return sent;
  };
  const stage: Stage = {
    folders: { other: "/models/other", wrongShape: "/models/wrong-shape", missing: "/models/none" },
    start: send,
    take: async (name, request) => void (await send(name, request).capture),
    killEngine: () => double.killEngine?.(),
  };
  try {
    await script?.run(stage);
  } finally {
    await double.close();
  }
  return taken;
}
