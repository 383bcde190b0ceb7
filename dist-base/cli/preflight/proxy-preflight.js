import { z } from "zod";
import { RolloutJobError } from "../rollout/errors.js";
const TIMEOUT_MS = 10_000;
const healthReply = z.object({ status: z.string(), message: z.string().optional() });
/**
 * Checks that the proxy at `--proxy` is ready for sessions and accepts the admin key.
 *
 * @throws RolloutJobError `proxy_failed` if it is not ready, `invalid_arguments` if it refuses the key
 */
export async function requireProxy({ url, adminKey }) {
    const base = url.replace(/\/+$/, "");
    // Both calls send the key, because a server in front of the proxy may require it for every path.
    const headers = { authorization: `Bearer ${adminKey}` };
    const ready = await ask(`${base}/health`, headers);
    assertAccepted(url, ready);
    if (ready.status !== 200) {
        const reply = healthReply.safeParse(await ready.json().catch(() => undefined)).data;
        const why = [reply?.status, reply?.message].filter((part) => part !== undefined).join(": ");
        throw new RolloutJobError("proxy_failed", `--proxy ${url} is not ready (HTTP ${ready.status}): ${why || "no reason given"}`);
    }
    await ready.body?.cancel();
    const sessions = await ask(`${base}/rl/sessions?limit=1`, headers);
    await sessions.body?.cancel();
    assertAccepted(url, sessions);
}
function assertAccepted(url, { status }) {
    if (status !== 401 && status !== 403)
        return;
    const where = "ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";
    throw new RolloutJobError("invalid_arguments", `--proxy ${url} refuses the admin key in ${where} (HTTP ${status}). Set one of them to the admin key that the proxy was ` +
        "started with or wrote to its rollout.agent.key_file.");
}
async function ask(url, headers) {
    try {
        return await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    }
    catch (error) {
        const why = describeFetchError(error);
        throw new RolloutJobError("proxy_failed", `--proxy: ${url} cannot be reached: ${why}`, { cause: error });
    }
}
/**
 * Returns why a `fetch` failed. The reason is in the error's cause. If a name has several addresses, the cause has one
 * error for each.
 */
function describeFetchError(error) {
    if (!(error instanceof Error))
        return String(error);
    const { cause } = error;
    if (!(cause instanceof Error))
        return error.message || error.name;
    const [first] = cause instanceof AggregateError ? cause.errors : [];
    return cause.message || (first instanceof Error ? first.message : String(first ?? error.message));
}
//# sourceMappingURL=proxy-preflight.js.map