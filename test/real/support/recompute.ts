import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { RecordedSampling } from "../../../src/facts/recorded-sampling.js";
import { type EngineName, engineEnvironment } from "./install-engine.js";

const PROGRAM = fileURLToPath(new URL("recompute.py", import.meta.url));

/** What a record says of one output, and what the engine was asked for in addition. */
export interface Claim {
  readonly engine: EngineName;
  /** Folder of the weights that sampled it. */
  readonly model: string;
  readonly prompt: readonly number[];
  readonly output: readonly number[];
  readonly sampling: RecordedSampling;
  /** The request to the engine, which has the values of which a record only says that there were some. */
  readonly request: string;
  /** The recorded log probabilities, which show the order of SGLang's penalties. Needed for calls with several. */
  readonly recorded?: readonly number[];
  /** The sampling mask of each output token. */
  readonly kept?: readonly (readonly number[])[];
}

/** Computes the log probabilities of each claim's output again, with transformers in float32. */
export function recompute(python: string, claims: readonly Claim[]): number[][] {
  const input = JSON.stringify(claims.map(toInput));
  const env = { ...engineEnvironment(), HF_HUB_OFFLINE: "1" };
  const { status, stdout, stderr } = spawnSync(python, [PROGRAM], { input, env, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as number[][];
}

function toInput({ model, prompt, output, sampling, request, engine, recorded = [], kept }: Claim): unknown {
  const fields = readRequest(request);
  return {
    engine,
    recorded,
    model,
    prompt,
    output,
    kept: kept ?? null,
    grammar: sampling.grammar ? readGrammar(fields) : null,
    sampling: {
      content: sampling.logprobs,
      temperature: sampling.temperature,
      greedy: sampling.greedy,
      top_k: sampling.topK,
      top_p: sampling.topP,
      min_p: sampling.minP,
      frequency_penalty: sampling.frequencyPenalty,
      presence_penalty: sampling.presencePenalty,
      repetition_penalty: sampling.repetitionPenalty,
      min_tokens: sampling.minTokens,
      stop_token_ids: fields["stop_token_ids"] ?? [],
      logit_bias: sampling.logitBias ? Object.entries(fields["logit_bias"] ?? {}).map(([id, bias]) => [+id, bias]) : [],
    },
  };
}

type Fields = Readonly<Record<string, object | string | null | undefined>>;

/** Returns the sampling parameters of a request, which `/v1/completions` has at the top level. */
function readRequest(request: string): Fields {
  const body = JSON.parse(request) as Fields & { readonly sampling_params?: Fields };
  return body.sampling_params ?? body;
}

/** Reads SGLang's `sampling_params.json_schema`, or vLLM's `structured_outputs.json`. */
function readGrammar(fields: Fields): { kind: string; text: string } {
  const nested = (fields["structured_outputs"] ?? {}) as Fields;
  const forms = {
    json_schema: fields["json_schema"] ?? nested["json"],
    structural_tag: fields["structural_tag"] ?? nested["structural_tag"],
    regex: fields["regex"] ?? nested["regex"],
  };
  for (const [kind, text] of Object.entries(forms)) if (typeof text === "string") return { kind, text };
  throw new Error(`The request has no grammar: ${JSON.stringify(fields)}`);
}
