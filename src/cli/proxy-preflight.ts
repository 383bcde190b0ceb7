import { z } from "zod";
import { RolloutJobError } from "./rollout-error.js";
import type { JobProxy } from "./rollout-proxy.js";

const TIMEOUT_MS = 10_000;

const health = z.object({ status: z.string(), message: z.string().optional() });

/**
 * Resolves if the proxy at `--proxy` is ready for sessions and knows the admin key.
 *
 * @throws RolloutJobError `proxy_failed`, or `invalid_arguments` for a key that it refuses
 */
export async function requireProxy({ url, adminKey }: Pick<JobProxy, "url" | "adminKey">): Promise<void> {
  const base = url.replace(/\/+$/, "");
  const ready = await ask(`${base}/health`, {});
  if (ready.status !== 200) {
    const said = health.safeParse(await ready.json().catch(() => undefined)).data;
    const why = [said?.status, said?.message].filter((part) => part !== undefined).join(": ");
    throw new RolloutJobError(
      "proxy_failed",
      `--proxy ${url} is not ready (HTTP ${ready.status}): ${why || "no reason"}`,
    );
  }
  await ready.body?.cancel();
  const known = await ask(`${base}/rl/sessions?limit=1`, { authorization: `Bearer ${adminKey}` });
  await known.body?.cancel();
  if (known.status !== 401 && known.status !== 403) return;
  const where = "ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";
  throw new RolloutJobError("invalid_arguments", `--proxy ${url} refuses the admin key in ${where}`);
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const why = describeFetchError(error);
    throw new RolloutJobError("proxy_failed", `--proxy: ${url} cannot be reached: ${why}`, { cause: error });
  }
}

/** The message of a failed `fetch` is in its cause; one for each address of a name is in the cause's own errors. */
function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message || error.name;
  const [first] = cause instanceof AggregateError ? cause.errors : [];
  return cause.message || (first instanceof Error ? first.message : String(first ?? error.message));
}
