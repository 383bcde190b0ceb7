import type { FrontCall } from "../../helpers/recording-front.js";

/** What an engine's reply says of one choice, read with `JSON.parse` alone. */
export interface WireOutput {
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  /** As float32, which engines compute with. */
  readonly logprobs: readonly number[];
}

/** Returns the outputs of all generations that the engine answered, in the order of their requests. */
export function readOutputs(calls: readonly FrontCall[]): WireOutput[] {
  return calls.flatMap((call) => {
    const reader = READERS[call.path];
    if (!reader || !call.ended || call.status !== 200 || call.answer === undefined) return [];
    const request = JSON.parse(call.body) as WireRequest;
    const { ids, logprobs } = reader(readFrames(call.answer));
    const prompt = request.input_ids ?? request.token_ids ?? request.prompt ?? [];
    return [{ prompt, ids, logprobs: logprobs.map(Math.fround) }];
  });
}

interface WireRequest {
  readonly input_ids?: readonly number[];
  readonly token_ids?: readonly number[];
  readonly prompt?: readonly number[];
}

type Output = Pick<WireOutput, "ids" | "logprobs">;

const READERS: Readonly<Record<string, (frames: readonly unknown[]) => Output>> = {
  "/generate": (frames) => readSglang(frames as readonly SglangFrame[]),
  "/inference/v1/generate": (frames) => joinOutputs((frames as readonly VllmFrame[]).map(readGenerate)),
  "/v1/completions": (frames) => joinOutputs((frames as readonly CompletionsFrame[]).map(readCompletions)),
};

/** Returns the JSON values of a body, or of the events of a stream. */
function readFrames(body: string): unknown[] {
  if (!body.startsWith("data:")) return [JSON.parse(body)];
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line): unknown => JSON.parse(line.slice("data: ".length)));
}

interface SglangFrame {
  readonly output_ids?: readonly number[];
  readonly meta_info?: { readonly output_token_logprobs?: readonly (readonly [number, number, unknown])[] };
}

/** Frames are cumulative, unless the server was started with `--incremental-streaming-output`. */
function readSglang(frames: readonly SglangFrame[]): Output {
  const last = frames.findLast(({ output_ids }) => output_ids !== undefined);
  const tokens = last?.meta_info?.output_token_logprobs ?? [];
  return { ids: last?.output_ids ?? [], logprobs: tokens.map(([logprob]) => logprob) };
}

interface VllmFrame {
  readonly choices?: readonly {
    readonly token_ids?: readonly number[] | null;
    readonly logprobs?: { readonly content: readonly { readonly logprob: number }[] } | null;
  }[];
}

function readGenerate({ choices = [] }: VllmFrame): Output {
  const [choice] = choices;
  return {
    ids: choice?.token_ids ?? [],
    logprobs: choice?.logprobs?.content.map(({ logprob }) => logprob) ?? [],
  };
}

interface CompletionsFrame {
  readonly choices?: readonly {
    readonly token_ids?: readonly number[] | null;
    readonly logprobs?: { readonly token_logprobs: readonly number[] } | null;
  }[];
}

function readCompletions({ choices = [] }: CompletionsFrame): Output {
  const [choice] = choices;
  return { ids: choice?.token_ids ?? [], logprobs: choice?.logprobs?.token_logprobs ?? [] };
}

function joinOutputs(outputs: readonly Output[]): Output {
  return {
    ids: outputs.flatMap(({ ids }) => ids),
    logprobs: outputs.flatMap(({ logprobs }) => logprobs),
  };
}
