import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseConfig } from "../config/index.js";
import { createServer } from "../server/app.js";
import { createRegistry, toServerSettings } from "../server/start.js";
import { startSweeps } from "../server/sweeps.js";
import { ProxyError } from "./errors.js";
/**
 * Clients of one engine share a proxy, because a program has one client per episode. The proxy lives as long as the engine.
 * It need not be closed: without a socket, nothing in it keeps the process alive, and no timer keeps the engine alive.
 */
const proxies = new WeakMap();
/** Returns the proxy of this engine, tokenizer and configuration. The first call creates it. */
export async function inProcessProxy({ engine, tokenizer, config }) {
    const shared = proxies.get(engine) ?? [];
    proxies.set(engine, shared);
    const found = shared.find((proxy) => proxy.tokenizer === tokenizer && isDeepStrictEqual(proxy.config, config));
    const entry = found ?? { tokenizer, config, started: start(engine, tokenizer, config ?? parseConfig({})) };
    if (!found)
        shared.push(entry);
    try {
        return await entry.started;
    }
    catch (error) {
        // The next client tries again.
        if (shared.includes(entry))
            shared.splice(shared.indexOf(entry), 1);
        throw error;
    }
}
async function start(engine, model, config) {
    if (config.storage.directory !== null) {
        const message = "storage.directory must be null: a proxy in this process is never closed, so its sessions cannot be stored. Use `rolltape serve`.";
        throw new ProxyError("invalid_value", message, { param: "storage.directory" });
    }
    const adminKey = `sk-admin-${randomBytes(32).toString("base64url")}`;
    const registry = createRegistry(config, adminKey);
    const settings = toServerSettings(config, adminKey, config.model.name ?? model.name);
    // Batches name the caller's engine, not the engine of the configuration.
    const recordedConfig = { ...settings.recordedConfig, engine: engine.type };
    const { app, context } = await createServer({ registry, engine, model, settings: { ...settings, recordedConfig } });
    startSweeps(context, config);
    return { app, adminKey };
}
//# sourceMappingURL=in-process-proxy.js.map