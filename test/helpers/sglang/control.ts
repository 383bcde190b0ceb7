import type { ServerResponse } from "node:http";
import { readCapture } from "../captures.js";
import { type ServerContext, sendEmpty, sendJson, sendPlain } from "./context.js";
import { InvalidBody, parseObject } from "./request.js";
import type { PauseMode } from "./scheduler.js";

type Fields = Readonly<Record<string, unknown>>;
type Route = (context: ServerContext, fields: Fields, response: ServerResponse) => void | Promise<void>;

export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** Health, information, pause, abort and weight-version endpoints. */
export async function controlRoute(
  context: ServerContext,
  { method, path, body }: ControlRequest,
  response: ServerResponse,
): Promise<void> {
  const [methods, route] = ROUTES[path] ?? [];
  if (!methods || !route) return sendJson(response, 404, { detail: "Not Found" });
  if (!methods.includes(method)) return sendJson(response, 405, { detail: "Method Not Allowed" });
  await route(context, parseObject(body.toString("utf8")), response);
}

const GET = ["GET"];
const POST = ["POST"];

const ROUTES: Readonly<Record<string, readonly [methods: readonly string[], route: Route]>> = {
  "/health": [GET, generatingHealth],
  "/health_generate": [GET, generatingHealth],
  "/model_info": [GET, modelInfo],
  "/get_model_info": [GET, modelInfo],
  "/server_info": [GET, serverInfo],
  "/get_server_info": [GET, serverInfo],
  // Other methods never come here.
  "/generate": [["POST", "PUT"], () => undefined],
  "/abort_request": [POST, abortRequest],
  "/pause_generation": [POST, pauseGeneration],
  "/continue_generation": [POST, continueGeneration],
  "/update_weight_version": [POST, updateWeightVersion],
  "/update_weights_from_disk": [POST, updateWeights],
  "/flush_cache": [["GET", "POST"], flushCache],
  "/v1/models": [GET, listModels],
  "/load_lora_adapter": [POST, loadAdapter],
  "/unload_lora_adapter": [POST, unloadAdapter],
  "/release_memory_occupation": [["GET", "POST"], releaseMemory],
  "/resume_memory_occupation": [["GET", "POST"], resumeMemory],
};

/** Time after which the real server answers 503 if no token was generated. */
const HEALTH_MS = 20_000;

/** Generates a token, and therefore does not answer while the engine is paused, until it gives up. */
async function generatingHealth({ scheduler, options }: ServerContext, _: Fields, response: ServerResponse) {
  const late = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), options.healthMilliseconds ?? HEALTH_MS).unref();
  });
  const healthy = await Promise.race([scheduler.unpaused().then(() => true), late]);
  if (!response.destroyed) sendEmpty(response, healthy ? 200 : 503);
}

/** What the real server says, which lists all of its arguments. Tests replace what they are about. */
const INFO = JSON.parse(readCapture("sglang", "usual", "server-info").body) as Fields;
const MODEL_INFO = JSON.parse(readCapture("sglang", "usual", "model-info").body) as Fields;

function modelInfo({ scheduler, options }: ServerContext, _: Fields, response: ServerResponse): void {
  const weight_version = scheduler.weightVersion;
  sendJson(response, 200, { ...MODEL_INFO, weight_version, has_image_understanding: options.vision !== undefined });
}

/** Most that the server takes as a prompt: six tokens less than the context. */
const RESERVED = 6;

function serverInfo({ contextLength, options }: ServerContext, _: Fields, response: ServerResponse): void {
  sendJson(response, 200, {
    ...INFO,
    context_length: contextLength,
    skip_tokenizer_init: options.skipTokenizerInit ?? false,
    incremental_streaming_output: options.incremental ?? false,
    max_total_num_tokens: 4 * contextLength,
    max_req_input_len: contextLength - RESERVED,
    ...options.serverInfo,
  });
}

function abortRequest({ scheduler }: ServerContext, fields: Fields, response: ServerResponse): void {
  scheduler.abort(typeof fields["rid"] === "string" ? fields["rid"] : "", fields["abort_all"] === true);
  sendEmpty(response, 200);
}

/** SGLang answers a pause in the mode `abort` after it has answered the requests that it cut. */
async function pauseGeneration({ scheduler }: ServerContext, fields: Fields, response: ServerResponse): Promise<void> {
  const mode = fields["mode"] ?? "abort";
  if (!isPauseMode(mode)) throw new InvalidBody("mode");
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
  if (typeof version !== "string") throw new InvalidBody("new_version");
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
  if (typeof path !== "string") throw new InvalidBody("model_path");
  const failure = await loads.load(scheduler, path);
  const message = failure ?? (fields["flush_cache"] !== false && !scheduler.flush() ? "Cache flush failed" : undefined);
  const named = message === undefined && typeof version === "string";
  if (named) scheduler.weightVersion = version;
  const loaded = `Succeeded to update model weights.${named ? ` Weight version updated to ${version}.` : ""}`;
  sendJson(response, message === undefined ? 200 : 400, {
    success: message === undefined,
    message: message ?? loaded,
    // Counts requests that are paused by the update itself, which this server does not do.
    num_paused_requests: 0,
  });
}

const FLUSHED =
  "Cache flushed.\nPlease check backend logs for more details. " +
  "(When there are running or waiting requests, the operation will not be performed.)\n";

function flushCache({ scheduler }: ServerContext, _: Fields, response: ServerResponse): void {
  const flushed = scheduler.flush();
  sendPlain(response, flushed ? 200 : 400, flushed ? FLUSHED : "Flush cache failed.\n");
}

function listModels({ adapters, contextLength }: ServerContext, _: Fields, response: ServerResponse): void {
  const fixed = { object: "model", created: 1_795_923_554, owned_by: "sglang" };
  const base = { id: "tiny", ...fixed, root: "tiny", parent: null, max_model_len: contextLength };
  const loaded = [...adapters].map(([id, root]) => ({ id, ...fixed, root, parent: "tiny", max_model_len: null }));
  sendJson(response, 200, { object: "list", data: [base, ...loaded] });
}

function loadAdapter(context: ServerContext, fields: Fields, response: ServerResponse): void {
  const [name, path] = [String(fields["lora_name"]), String(fields["lora_path"])];
  const { adapters, options } = context;
  if (!options.lora) return answerAdapter(response, NO_LORA, null);
  if (adapters.has(name)) {
    return answerAdapter(response, `Failed to load LoRA adapter ${name} because it is already loaded`, adapters);
  }
  if (path.startsWith("/missing")) {
    const message = `Repo id must be in the form 'repo_name' or 'namespace/repo_name': '${path}'. Use \`repo_type\` argument if needed.`;
    return answerAdapter(response, message, adapters);
  }
  adapters.set(name, path);
  answerAdapter(response, "", adapters);
}

function unloadAdapter({ adapters, options }: ServerContext, fields: Fields, response: ServerResponse): void {
  const name = String(fields["lora_name"]);
  if (!options.lora) return answerAdapter(response, NO_LORA, null);
  if (adapters.delete(name)) return answerAdapter(response, "", adapters);
  const names = [...adapters.keys()].map((each) => `'${each}'`).join(", ");
  answerAdapter(response, `LoRA with name ${name} does not exist. Loaded LoRAs: odict_keys([${names}])`, null);
}

const NO_LORA = "LoRA is not enabled. Please set `--enable-lora` to enable LoRA.";

function answerAdapter(response: ServerResponse, message: string, adapters: Map<string, string> | null): void {
  const success = message === "";
  const loaded_adapters = adapters && Object.fromEntries(adapters);
  const fixed = { rid: null, http_worker_ipc: null };
  sendJson(response, success ? 200 : 400, { ...fixed, success, error_message: message, loaded_adapters });
}

/** A server without `--enable-memory-saver` gives the same answer and frees nothing. */
function releaseMemory({ asleep }: ServerContext, _: Fields, response: ServerResponse): void {
  asleep.value = true;
  sendJson(response, 200, null);
}

/** The scheduler of a server that has freed nothing ends (`KeyError: 'kv_cache'`), and the server with it. */
function resumeMemory({ asleep }: ServerContext, _: Fields, response: ServerResponse): void {
  if (!asleep.value) return void response.destroy();
  asleep.value = false;
  sendJson(response, 200, null);
}
