import type { ServerResponse } from "node:http";
import { type ServerContext, sendJson, sendText } from "./context.js";
import { BadRequest, parseObject } from "./request.js";
import type { PauseMode } from "./scheduler.js";

type Fields = Readonly<Record<string, unknown>>;
type Route = (context: ServerContext, fields: Fields, response: ServerResponse) => void | Promise<void>;

/** Health, information, pause, abort and weight-version endpoints. */
export function controlRoute(context: ServerContext, path: string, body: Buffer, response: ServerResponse): void {
  const route = ROUTES.get(path);
  if (route) void route(context, parseObject(body.toString("utf8")), response);
  else sendJson(response, 404, { detail: "Not Found" });
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/health", generatingHealth],
  ["/health_generate", generatingHealth],
  ["/model_info", modelInfo],
  ["/get_model_info", modelInfo],
  ["/server_info", serverInfo],
  ["/get_server_info", serverInfo],
  ["/get_weight_version", ({ scheduler }, _, response) => sendJson(response, 200, scheduler.weightVersion)],
  ["/abort_request", abortRequest],
  ["/pause_generation", pauseGeneration],
  ["/continue_generation", continueGeneration],
  ["/update_weight_version", updateWeightVersion],
  ["/update_weights_from_disk", updateWeights],
  ["/flush_cache", flushCache],
]);

/** Generates a token, and therefore does not answer while the engine is paused. */
async function generatingHealth({ scheduler }: ServerContext, _: Fields, response: ServerResponse): Promise<void> {
  await scheduler.unpaused();
  if (!response.destroyed) sendText(response, 200, "");
}

function modelInfo({ scheduler }: ServerContext, _: Fields, response: ServerResponse): void {
  sendJson(response, 200, {
    model_path: "tiny",
    tokenizer_path: "tiny",
    is_generation: true,
    preferred_sampling_params: null,
    weight_version: scheduler.weightVersion,
    has_image_understanding: false,
    has_audio_understanding: false,
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
  });
}

function serverInfo({ contextLength, options }: ServerContext, _: Fields, response: ServerResponse): void {
  sendJson(response, 200, {
    model_path: "tiny",
    context_length: contextLength,
    skip_tokenizer_init: options.skipTokenizerInit ?? false,
    incremental_streaming_output: false,
    status: "ready",
    max_total_num_tokens: 4 * contextLength,
    max_req_input_len: contextLength - 6,
    internal_states: [{ memory_usage: {}, last_gen_throughput: 0 }],
    version: "0.5.9",
    ...options.serverInfo,
  });
}

function abortRequest({ scheduler }: ServerContext, fields: Fields, response: ServerResponse): void {
  scheduler.abort(typeof fields["rid"] === "string" ? fields["rid"] : "", fields["abort_all"] === true);
  response.writeHead(200).end();
}

/** SGLang answers a pause in the mode `abort` after it has answered the requests that it cut. */
async function pauseGeneration({ scheduler }: ServerContext, fields: Fields, response: ServerResponse): Promise<void> {
  const mode = fields["mode"] ?? "abort";
  if (!isPauseMode(mode)) throw new BadRequest(`unknown pause mode ${JSON.stringify(mode)}`);
  scheduler.pause(mode);
  if (mode === "abort") await scheduler.cut();
  sendJson(response, 200, { message: "Generation paused successfully.", status: "ok" });
}

function isPauseMode(mode: unknown): mode is PauseMode {
  return mode === "abort" || mode === "retract" || mode === "in_place";
}

function continueGeneration({ scheduler }: ServerContext, _: Fields, response: ServerResponse): void {
  scheduler.continue();
  sendJson(response, 200, { message: "Generation continued successfully.", status: "ok" });
}

function updateWeightVersion({ scheduler }: ServerContext, fields: Fields, response: ServerResponse): void {
  const version = fields["new_version"];
  if (typeof version !== "string") throw new BadRequest("new_version must be a string");
  if (fields["abort_all_requests"] !== false) scheduler.abort("", true);
  scheduler.weightVersion = version;
  sendJson(response, 200, { success: true, message: `Weight version updated to ${version}`, new_version: version });
}

/** Flushes the cache unless `flush_cache` is false, and sets the version only if the load succeeds. */
async function updateWeights(
  { scheduler, loads }: ServerContext,
  fields: Fields,
  response: ServerResponse,
): Promise<void> {
  const { model_path: path, weight_version: version } = fields;
  if (typeof path !== "string") return sendJson(response, 422, { detail: "model_path must be a string" });
  const paused = scheduler.pending;
  const failure = await loads.load(scheduler, path);
  const message = failure ?? (fields["flush_cache"] !== false && !scheduler.flush() ? "Cache flush failed" : undefined);
  if (message === undefined && typeof version === "string") scheduler.weightVersion = version;
  sendJson(response, message === undefined ? 200 : 400, {
    success: message === undefined,
    message: message ?? "Succeeded to update model weights.",
    num_paused_requests: paused,
  });
}

function flushCache({ scheduler }: ServerContext, _: Fields, response: ServerResponse): void {
  const busy = !scheduler.flush();
  sendText(response, busy ? 400 : 200, busy ? "Flush cache failed." : "Cache flushed.");
}
