import type { ReplyFormat } from "../../src/native/contract.js";
import { MODEL } from "./experts.js";

/** A reply of an engine with experts, as a body and as a stream whose last frame brings them. */
export interface ExpertReply {
  readonly format: ReplyFormat;
  readonly body: Buffer;
  readonly stream: Buffer;
  /** The experts in base64. */
  readonly text: string;
}

const LOGPROB = -0.5234375;
const FRAME_END = "\n\n";

/** vLLM sends a file in NumPy's format, SGLang int32. */
export function makeReply(format: ReplyFormat, experts: Uint8Array, outputs: number): ExpertReply {
  const text = format === "vllm" ? npy(experts).toString("base64") : int32(experts).toString("base64");
  const makeBody = format === "vllm" ? vllmBody : sglangBody;
  const body = makeBody(outputs, text);
  // SGLang's frames have all tokens so far, vLLM's those that are new.
  const [first, last] =
    format === "vllm"
      ? [vllmBody(outputs - 1), vllmBody(1, text)]
      : [sglangBody(outputs - 1), sglangBody(outputs, text)];
  const stream = [first, last, "[DONE]"].map((payload) => `data: ${payload}${FRAME_END}`).join("");
  return { format, body: Buffer.from(body), stream: Buffer.from(stream), text };
}

function npy(experts: Uint8Array): Buffer {
  const { layers, topK } = MODEL;
  const shape = `(${experts.length / (layers * topK)}, ${layers}, ${topK})`;
  const header = `${`{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117)}\n`;
  const start = Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1");
  return Buffer.concat([start, Buffer.from(header, "latin1"), experts]);
}

const int32 = (experts: Uint8Array) => Buffer.from(Int32Array.from(experts).buffer);

const idsOf = (count: number) => Array.from({ length: count }, (_, i) => (i * 211) % 100_000);

function vllmBody(count: number, experts?: string): string {
  const ids = idsOf(count);
  const content = ids.map((id) => ({ token: `token_id:${id}`, logprob: LOGPROB, top_logprobs: [] }));
  const last = experts === undefined ? {} : { routed_experts: experts, finish_reason: "stop" };
  return JSON.stringify({ choices: [{ index: 0, token_ids: ids, logprobs: { content }, ...last }] });
}

function sglangBody(count: number, experts?: string): string {
  const ids = idsOf(count);
  const logprobs = ids.map((id) => [LOGPROB, id, null]);
  const last = experts === undefined ? {} : { routed_experts: experts, finish_reason: { type: "stop" } };
  return JSON.stringify({
    output_ids: ids,
    meta_info: { id: "a", completion_tokens: count, output_token_logprobs: logprobs, ...last },
  });
}
