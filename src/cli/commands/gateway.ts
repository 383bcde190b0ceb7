import { GATEWAY, readAdminKey, refuseUnused, resolveConfig } from "../../config/index.js";
import type { RunningGateway } from "../../gateway/start.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import type { ConfigOptions } from "../config-options.js";
import { describeAddress } from "../describe-address.js";
import { EXIT_INCOMPLETE } from "../exit.js";
import { stopOnSignal } from "../lifetime.js";
import { createLogger } from "../logger.js";

/** Seconds that a stop may take in addition to waiting for calls in flight. */
const STOP_MARGIN_SECONDS = 5;

/**
 * `rolltape gateway`: serves one address for many servers until a signal stops it. Prints one JSON line on standard
 * output when it accepts calls. Logs go to standard error.
 */
export async function gateway(overrides: readonly string[], { config: file }: ConfigOptions): Promise<void> {
  const config = resolveConfig({ file, overrides });
  refuseUnused(overrides, GATEWAY);
  const logger = createLogger(config);
  let running: RunningGateway | undefined;
  stopOnSignal(config.server.shutdown_seconds + STOP_MARGIN_SECONDS, logger, async () => {
    const cut = await running?.close();
    return cut && cut.length > 0 ? EXIT_INCOMPLETE : 0;
  });
  const { startGateway } = await import("../../gateway/start.js");
  running = await startGateway(config, { adminKey: readAdminKey(config, process.env), logger });
  const served = { ...describeAddress(config, running), workers: running.workers };
  printReadyLine(served);
  logger.info(served, "ready");
}
