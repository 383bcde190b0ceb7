import type { ServerResponse } from "node:http";
import type { RecordedRequest } from "../recording-server.js";
import { sendEmpty, sendJson, sendText } from "../sglang/context.js";
import type { VllmContext } from "./context.js";
import { DeadEngine, Refusal } from "./refusal.js";

type Route = (context: VllmContext, request: RecordedRequest, response: ServerResponse) => void | Promise<void>;

/** Models and health, and the endpoints of the development mode. */
export async function vllmControl(
  context: VllmContext,
  request: RecordedRequest,
  response: ServerResponse,
): Promise<void> {
  const [method, route] = ROUTES[request.path] ?? [];
  const isLora = request.path.endsWith("_lora_adapter");
  if (!route || (isLora && !context.options.lora)) return sendJson(response, 404, { detail: "Not Found" });
  if (request.method !== method) return sendJson(response, 405, { detail: "Method Not Allowed" });
  if (context.died && !SURVIVES.has(request.path)) throw new DeadEngine();
  await route(context, request, response);
}

/** These answer in their own way when the engine's process has died. */
const SURVIVES: ReadonlySet<string> = new Set(["/health", "/v1/models", "/pause", "/resume"]);

const ROUTES: Readonly<Record<string, readonly [method: "GET" | "POST", route: Route]>> = {
  "/health": ["GET", ({ died, options }, _, response) => sendEmpty(response, died || options.unhealthy ? 503 : 200)],
  "/v1/models": ["GET", listModels],
  // Other methods than POST never come here.
  "/v1/completions": ["POST", () => undefined],
  "/inference/v1/generate": ["POST", () => undefined],
  "/pause": ["POST", pause],
  "/resume": ["POST", resume],
  "/collective_rpc": ["POST", reloadWeights],
  "/reset_prefix_cache": ["POST", resetCache],
  "/update_weight_version": ["POST", updateVersion],
  "/weight_info": ["GET", weightInfo],
  "/sleep": ["POST", sleep],
  "/wake_up": ["POST", wakeUp],
  "/v1/load_lora_adapter": ["POST", loadAdapter],
  "/v1/unload_lora_adapter": ["POST", unloadAdapter],
};

function listModels(
  { model, contextLength, options, adapters }: VllmContext,
  _: RecordedRequest,
  response: ServerResponse,
) {
  const base = modelEntry(model, null, contextLength);
  const known = options.adapter === undefined ? [] : [modelEntry(options.adapter, model, null)];
  const loaded = [...adapters].map(([name, path]) => ({ ...modelEntry(name, model, null), root: path }));
  const data = [base, ...known, ...loaded];
  sendJson(response, 200, { object: "list", data });
}

function modelEntry(id: string, parent: string | null, maxModelLength: number | null): object {
  const created = 1_760_000_000;
  const permission = {
    id: `modelperm-${id}`,
    object: "model_permission",
    created,
    allow_create_engine: false,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: "*",
    group: null,
    is_blocking: false,
  };
  const fixed = { object: "model", created, owned_by: "vllm", root: `/models/${id}` };
  return { id, ...fixed, parent, max_model_len: maxModelLength, permission: [permission] };
}

async function pause({ scheduler, died }: VllmContext, { url }: RecordedRequest, response: ServerResponse) {
  if (died) return sendJson(response, 500, { error: `Failed to pause generation: ${DeadEngine.MESSAGE}` });
  const mode = url.searchParams.get("mode") ?? "abort";
  if (mode !== "abort" && mode !== "keep" && mode !== "wait") {
    const detail = `{'type': 'literal_error', 'loc': 'query.mode', 'msg': "Input should be 'abort', 'wait' or 'keep'"}`;
    throw Refusal.ofField("query.mode", `1 validation error:\n  ${detail}`);
  }
  scheduler.pause(mode === "keep" ? "in_place" : "abort");
  await scheduler.cut();
  if (mode !== "keep" && url.searchParams.get("clear_cache") !== "false") scheduler.flush();
  sendJson(response, 200, { status: "paused" });
}

function resume({ scheduler, died }: VllmContext, _: RecordedRequest, response: ServerResponse): void {
  if (died) return sendJson(response, 500, { error: `Failed to resume generation: ${DeadEngine.MESSAGE}` });
  scheduler.continue();
  sendJson(response, 200, { status: "resumed" });
}

async function reloadWeights({ scheduler, loads }: VllmContext, { json }: RecordedRequest, response: ServerResponse) {
  const failure = await runOnWorkers(scheduler, loads, json);
  if (failure === undefined) return sendJson(response, 200, { results: [null] });
  const message =
    `Call to collective_rpc method failed: Worker failed with error '${failure}', ` +
    "please check the stack trace above for the root cause";
  throw new Refusal(message, { status: 500, type: "InternalServerError" });
}

/** Returns the error of the workers. */
async function runOnWorkers(
  scheduler: VllmContext["scheduler"],
  loads: VllmContext["loads"],
  { method, kwargs }: RecordedRequest["json"],
): Promise<string | undefined> {
  const { weights_path: path, weights_iterator: tensors } = Object(kwargs) as Record<string, unknown>;
  if (method === "reload_weights" && typeof path === "string") return await loads.loadLayers(scheduler, path);
  if (method === "reload_weights" && Array.isArray(tensors)) return loads.discardLayers();
  return `'CPUWorker' object has no attribute '${String(method)}'`;
}

async function sleep({ scheduler, asleep }: VllmContext, { url }: RecordedRequest, response: ServerResponse) {
  const level = Number(url.searchParams.get("level") ?? 1);
  scheduler.pause("abort");
  await scheduler.cut();
  asleep.value = true;
  sendJson(response, 200, { status: "sleeping", level });
}

/** Ends the pause of the scheduler too. */
function wakeUp({ scheduler, asleep }: VllmContext, _: RecordedRequest, response: ServerResponse): void {
  asleep.value = false;
  scheduler.continue();
  sendJson(response, 200, { status: "awake", tags: null });
}

function loadAdapter({ adapters }: VllmContext, { json }: RecordedRequest, response: ServerResponse): void {
  const [name, path] = [String(json["lora_name"]), String(json["lora_path"])];
  if (adapters.has(name)) {
    const message = `The lora adapter '${name}' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True.`;
    throw new Refusal(message, { type: "InvalidUserInput" });
  }
  if (path.startsWith("/missing")) {
    const message = `Loading lora ${name} failed: No adapter found for <path>`;
    throw new Refusal(message, { status: 404, type: "NotFoundError" });
  }
  adapters.set(name, path);
  sendText(response, 200, `Success: LoRA adapter '${name}' added successfully.`);
}

function unloadAdapter({ adapters }: VllmContext, { json }: RecordedRequest, response: ServerResponse): void {
  const name = String(json["lora_name"]);
  if (!adapters.delete(name)) {
    throw new Refusal(`The lora adapter '${name}' cannot be found.`, { status: 404, type: "NotFoundError" });
  }
  sendText(response, 200, `Success: LoRA adapter '${name}' removed successfully.`);
}

/** Requests that a pause keeps hold no blocks, so that the cache is reset nevertheless. */
function resetCache({ scheduler }: VllmContext, _: RecordedRequest, response: ServerResponse): void {
  sendJson(response, 200, { success: scheduler.flush() || scheduler.paused });
}

function updateVersion({ scheduler }: VllmContext, { json }: RecordedRequest, response: ServerResponse): void {
  const { new_version: version } = json;
  if (typeof version !== "string") {
    throw Refusal.ofField("body.new_version", "1 validation error:\n  {'type': 'missing', 'loc': 'body.new_version'}");
  }
  scheduler.weightVersion = version;
  sendJson(response, 200, { success: true, new_version: version });
}

function weightInfo({ scheduler }: VllmContext, _: RecordedRequest, response: ServerResponse): void {
  sendJson(response, 200, { weight_version: scheduler.weightVersion });
}
