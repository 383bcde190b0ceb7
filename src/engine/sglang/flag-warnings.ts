import type { ServerNeeds, ServerWarning } from "../engine.js";
import { askAll, compareContexts, compareTokenizers, flagWarning } from "../servers/flag-warnings.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { jsonObject } from "../servers/wire/json.js";
import { readContextLength } from "./context-length.js";

/** The current name first, then the older one. */
const INFO_PATHS = ["server_info", "get_server_info"];

const UNAUTHORIZED = 401;

/** Finds out which flags an SGLang server lacks. Generates nothing. */
export async function listSglangWarnings(
  server: ServerConnections,
  needs: ServerNeeds,
  signal: AbortSignal,
): Promise<ServerWarning[]> {
  const body = await askInfo(server, signal).catch(() => "");
  const flags = adviseOnInfo(jsonObject(body), needs);
  const others = await askAll([
    () => findAdminKey(server, signal),
    async () => (needs.images ? findTextModel(server, signal) : undefined),
    () => compareTokenizers(server, needs, { signal }),
    async () => compareContexts(needs, readContextLength(body), "--context-length"),
  ]);
  return [...flags.map(flagWarning), ...others];
}

async function askInfo(server: ServerConnections, signal: AbortSignal): Promise<string> {
  for (const path of INFO_PATHS) {
    const { status, body } = await server.get(path, signal);
    if (status === 200) return body;
  }
  return "";
}

/** A flag that an older server does not report is not judged. */
function adviseOnInfo(info: Readonly<Record<string, unknown>>, { reasoning }: ServerNeeds): string[] {
  const advice: string[] = [];
  if (info["grammar_backend"] === "none")
    advice.push("Calls that need a grammar are refused. Start SGLang without `--grammar-backend none`.");
  if (info["skip_tokenizer_init"] === true)
    advice.push("The server refuses stop strings and grammars. Start SGLang without `--skip-tokenizer-init`.");
  const isStrict = info["enable_strict_thinking"] === true && typeof info["reasoning_parser"] === "string";
  if (reasoning && "enable_strict_thinking" in info && !isStrict)
    advice.push(
      "Thinking budgets are not enforced. Start SGLang with `--enable-strict-thinking` and `--reasoning-parser`.",
    );
  if (info["enable_deterministic_inference"] === false)
    advice.push(
      "`seed` has no effect. Start SGLang with `--enable-deterministic-inference` if calls must be repeatable.",
    );
  return advice;
}

/** SGLang ignores the images of a request if its model sees none. */
async function findTextModel(server: ServerConnections, signal: AbortSignal): Promise<ServerWarning | undefined> {
  const { body } = await server.get("model_info", signal);
  if (jsonObject(body)["has_image_understanding"] !== false) return undefined;
  return flagWarning(
    "The server's model sees no images, so calls with images fail. Set `model.path` to the folder of the model that it serves.",
  );
}

/** Aborts a request that does not exist. */
async function findAdminKey(server: ServerConnections, signal: AbortSignal): Promise<ServerWarning | undefined> {
  const body = { rid: "rolltape-flags" };
  const { status } = await server.control({ method: "POST", path: "abort_request", body, admin: true, signal });
  if (status !== UNAUTHORIZED) return undefined;
  const message = `The server refuses aborts, pauses and weight updates (HTTP ${status}). Configure the key of its \`--admin-api-key\`.`;
  return { about: "admin_key", message };
}
