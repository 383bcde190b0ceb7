import type { ServerResponse } from "node:http";
import { type RecordedRequest, type RecordingServer, startRecordingServer } from "./recording-server.js";

/** How a test server scores prompts: as SGLang, as vLLM with or without its V2 runner, or as vLLM without scale-out endpoints. */
export type TeacherKind = "sglang" | "vllm-v2" | "vllm-v1" | "vllm-completions";

export interface TeacherServer extends RecordingServer {
  /** Number of tokens that were scored, of all requests. */
  readonly scored: number;
  /** Answers with this status instead of scores. Undefined: with scores. */
  status: number | undefined;
  /** Holds all answers until it resolves. */
  hold: Promise<unknown> | undefined;
  /** Longer sequences are refused. */
  contextLength: number;
}

type State = Pick<TeacherServer, "status" | "hold" | "contextLength">;

/** Number of tokens that a server lists for each position. */
const VOCABULARY = 6;

/** The score of token `t` of a sequence, which depends on the tokens before it. A float32 has it exactly. */
export function scoreOf(ids: readonly number[], t: number): number {
  return -(8 + (((ids[t] ?? 0) * 31 + (ids[t - 1] ?? 0) * 17 + t * 7) % 64) / 8);
}

/** The tokens with the best scores for position `t`, best first. */
export function topOf(ids: readonly number[], t: number, count: number): { id: number; logprob: number }[] {
  return Array.from({ length: Math.min(count, VOCABULARY) }, (_, rank) => ({
    id: 1000 + (((ids[t - 1] ?? 0) + rank) % 500),
    logprob: -(rank + 1) / 4,
  }));
}

/** Starts a server that answers scoring requests only, in the shape of a real engine's answers. */
export async function startTeacherServer(kind: TeacherKind, port?: number): Promise<TeacherServer> {
  const state: State = { status: undefined, hold: undefined, contextLength: Number.POSITIVE_INFINITY };
  const counts = { scored: 0 };
  const server = await startRecordingServer({ port }, async (request, response) => {
    await state.hold;
    if (state.status !== undefined)
      return send(response, state.status, { error: { message: "no", code: state.status } });
    if (countTokens(request) > state.contextLength)
      return send(response, 400, { error: { message: "too long", code: 400 } });
    const { status, body, scored = 0 } = kind === "sglang" ? answerSglang(request) : answerVllm(request, kind);
    counts.scored += scored;
    send(response, status, body);
  });
  return bind(server, state, counts);
}

function bind(server: RecordingServer, state: State, counts: { readonly scored: number }): TeacherServer {
  return {
    url: server.url,
    requests: server.requests,
    get connections() {
      return server.connections;
    },
    close: () => server.close(),
    get scored() {
      return counts.scored;
    },
    get status() {
      return state.status;
    },
    set status(status) {
      state.status = status;
    },
    get hold() {
      return state.hold;
    },
    set hold(hold) {
      state.hold = hold;
    },
    get contextLength() {
      return state.contextLength;
    },
    set contextLength(length) {
      state.contextLength = length;
    },
  };
}

function countTokens({ json }: RecordedRequest): number {
  const { input_ids, token_ids, prompt } = json;
  return [input_ids, token_ids, prompt].find(Array.isArray)?.length ?? 0;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly scored?: number;
}

interface SglangBody {
  readonly input_ids: number[];
  readonly logprob_start_len: number;
  readonly top_logprobs_num: number;
  readonly sampling_params: { readonly max_new_tokens: number };
}

/** The token at `logprob_start_len` has no score. */
function answerSglang({ path, json }: RecordedRequest): Answer {
  if (path !== "/generate") return { status: 404, body: { detail: "Not Found" } };
  const { input_ids: ids, logprob_start_len: start, top_logprobs_num: top } = json as unknown as SglangBody;
  const positions = ids.map((_, t) => t).slice(start);
  const meta = {
    id: json["rid"],
    finish_reason: { type: "length", length: 0 },
    prompt_tokens: ids.length,
    weight_version: "default",
    input_token_logprobs: positions.map((t) => [t === start ? null : scoreOf(ids, t), reportedId(ids[t] ?? 0), null]),
    output_token_logprobs: [],
    ...(top > 0 && {
      input_top_logprobs: positions.map((t) =>
        t === start ? null : topOf(ids, t, top).map(({ id, logprob }) => [logprob, id, null]),
      ),
      output_top_logprobs: [],
    }),
    completion_tokens: 0,
    cached_tokens: 0,
  };
  return { status: 200, body: { text: "", output_ids: [], meta_info: meta }, scored: ids.length - 1 - start };
}

/** SGLang reports the last id of the vocabulary as 0. The tiny model has 512 ids. */
const reportedId = (id: number): number => (id < 511 ? id : 0);

interface VllmSampling {
  readonly prompt_logprobs?: number;
  readonly prompt_logprob_start?: number;
  readonly prompt_logprob_token_ids?: number[][];
}

interface VllmBody extends VllmSampling {
  readonly token_ids?: number[];
  readonly prompt?: number[];
  readonly sampling_params?: VllmSampling;
}

function answerVllm({ path, json }: RecordedRequest, kind: TeacherKind): Answer {
  if (path === "/v1/models") return { status: 200, body: { data: [{ id: "teacher", max_model_len: 4096 }] } };
  const body = json as unknown as VllmBody;
  const isCompletions = path === "/v1/completions";
  if (!isCompletions && (path !== "/inference/v1/generate" || kind === "vllm-completions")) {
    return { status: 404, body: { detail: "Not Found" } };
  }
  const ids = (isCompletions ? body.prompt : body.token_ids) ?? [];
  const sampling = isCompletions ? body : (body.sampling_params ?? {});
  if (sampling.prompt_logprob_token_ids) return answerIds(ids, sampling, kind);
  const lists = ids.map((id, t) => {
    if (t === 0) return null;
    const top = topOf(ids, t, sampling.prompt_logprobs ?? 0).map((each, rank) => ({ ...each, rank: rank + 1 }));
    const own = top.find((each) => each.id === id) ?? { id, logprob: scoreOf(ids, t), rank: 400 };
    const others = top.filter((each) => each.id !== id);
    return Object.fromEntries(
      [own, ...others].map(({ id: key, logprob, rank }) => [key, { logprob, rank, decoded_token: null }]),
    );
  });
  const choice = { index: 0, finish_reason: "length", token_ids: [1] };
  return {
    status: 200,
    body: isCompletions
      ? { id: "cmpl-1", choices: [{ ...choice, prompt_logprobs: lists }] }
      : { prompt_logprobs: lists, prompt_token_id_logprobs: null, choices: [choice] },
    scored: ids.length - 1,
  };
}

function answerIds(ids: readonly number[], sampling: VllmSampling, kind: TeacherKind): Answer {
  if (kind !== "vllm-v2") {
    const message = "prompt_logprob_token_ids requires the V2 model runner (VLLM_USE_V2_MODEL_RUNNER=1)";
    return { status: 400, body: { error: { message, type: "BadRequestError", param: null, code: 400 } } };
  }
  const { prompt_logprob_start: start = 0, prompt_logprob_token_ids: rows = [] } = sampling;
  if (rows.length !== ids.length - 1 - start) {
    return { status: 400, body: { error: { message: `expected ${ids.length - 1 - start} rows`, code: 400 } } };
  }
  const values = Float32Array.from(rows, (_, row) => scoreOf(ids, start + 1 + row));
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows.length}, 1), }`.padEnd(117) + "\n";
  const start10 = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, header.length & 255, header.length >> 8]);
  const file = Buffer.concat([start10, Buffer.from(header), Buffer.from(values.buffer)]);
  return {
    status: 200,
    body: { prompt_logprobs: null, prompt_token_id_logprobs: file.toString("base64"), choices: [{ index: 0 }] },
    scored: rows.length,
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
