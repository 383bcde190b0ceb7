import { ConfigError } from "./error.js";
import type { EngineType } from "./schema/engine.js";
import type { Config } from "./schema/sections.js";

/** The engine types that this build has a client for. */
const SERVED: readonly EngineType[] = ["embedded", "sglang"];

/** @throws {@link ConfigError} where the configuration asks for an engine that this build cannot call */
export function requireServedEngine({ engine }: Config): void {
  if (SERVED.includes(engine.type)) return;
  const message = `this build serves the engines ${SERVED.join(" and ")}, not ${engine.type}`;
  throw new ConfigError("config_invalid", [{ path: "engine.type", message }]);
}
