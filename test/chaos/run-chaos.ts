import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { Pool } from "undici";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { Random } from "../helpers/random.js";
import { Findings } from "../soak/check/findings.js";
import { FaultyEngine } from "../soak/engine/faulty-engine.js";
import { loadDecoder } from "../soak/run-soak.js";
import { checkExport } from "./check/check-export.js";
import { checkSessions } from "./check/check-sessions.js";
import { CHAOS_FINDINGS } from "./check/findings.js";
import { ControlRequests } from "./clients/control-requests.js";
import { Exports } from "./clients/exports.js";
import { Ledger } from "./clients/ledger.js";
import { Kills } from "./kills.js";
import { Load } from "./load.js";
import type { ChaosOptions } from "./options.js";
import { PowerLoss } from "./power/power-loss.js";
import { Gate } from "./processes/gate.js";
import { createGatewayTarget, createServerTarget, storageOf } from "./processes/target.js";
import { ChaosTally } from "./tally.js";
import { WeightChanges } from "./weight-changes.js";

/** Runs agents and a trainer on a server that is killed again and again, and checks every export. */
export async function runChaos(
  options: ChaosOptions,
  onProgress: (line: string) => void = () => {},
): Promise<ChaosTally> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-chaos-"));
  const engine = await FaultyEngine.start(options.seed);
  const weights = new WeightChanges(engine, new Random(options.seed, 1));
  try {
    return await runOn(folder, engine, options, onProgress);
  } finally {
    weights.stop();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOn(
  folder: string,
  engine: FaultyEngine,
  { seed, concurrency, durability, gateway, power, maxPauseSeconds, kills: planned }: ChaosOptions,
  onProgress: (line: string) => void,
): Promise<ChaosTally> {
  const powerLoss = power ? new PowerLoss(storageOf(folder), folder) : undefined;
  const createTarget = gateway ? createGatewayTarget : createServerTarget;
  const target = await createTarget({ engineUrls: engine.urls, folder, durability, env: powerLoss?.env });
  const pool = new Pool(target.url, { headersTimeout: 0, bodyTimeout: 0 });
  const [gate, ledger, findings] = [new Gate(), new Ledger(), new Findings(CHAOS_FINDINGS)];
  const tally = new ChaosTally(findings, powerLoss);
  const controlRequests = new ControlRequests({
    pool,
    adminKey: ADMIN_KEY,
    gate,
    ledger,
    findings,
    behindGateway: gateway,
  });
  const context = { log: engine.log, ledger, findings, decode: await loadDecoder(), behindGateway: gateway };
  const exports = new Exports({
    controlRequests,
    ledger,
    findings,
    random: new Random(seed, 2),
    onBatch: (evidence) => tally.addBatch(checkExport(evidence, context)),
  });
  const random = new Random(seed, 6);
  const kills = new Kills({
    target,
    gate,
    ledger,
    findings,
    seed,
    maxPauseSeconds,
    nextShortOperation: () => nextShortOperation(controlRequests, powerLoss, random),
    beforeKill: () => controlRequests.noteKill(),
    // Without syncs, records in the middle may be missing, which a start refuses as damage. So all of it is dropped.
    onDead: () => powerLoss?.strike(random, durability === "call" ? random.pick([1, 0.9, 0.5, 0.1]) : 1),
    whenQuiet: async () => {
      while (controlRequests.inFlight + (tally.parts?.load.inFlight ?? 0) > 0) await sleep(20);
    },
    check: () => checkSessions(target.workers, ledger, findings),
  });
  let killing = Promise.resolve();
  try {
    await kills.restart();
    const onAttempt = tally.addAttempt.bind(tally, gate);
    const load = new Load({ pool, gate, controlRequests, exports, ledger, seed, concurrency, onAttempt });
    tally.watch({ kills, load, exports, controlRequests });
    while (kills.kills < planned && kills.isUseful) {
      killing = kills.killUnderLoad();
      await Promise.race([killing, load.over]);
      if (kills.isUseful) await exports.repeatSome();
      onProgress(tally.describe());
    }
    if (!kills.isUseful) return tally;
    await load.stop();
    await kills.killUnderLoad();
    await exports.repeatSome();
    return tally;
  } catch (error) {
    findings.add("refused", error instanceof Error ? error.message : String(error));
    return tally;
  } finally {
    gate.fail(new Error("the run is over"));
    await killing.catch(() => undefined);
    await Promise.all(target.processes.map((each) => each.kill()));
    await pool.destroy();
  }
}

/** Resolves while a request other than a model call runs, or in a commit. Both are too short to be hit often by chance. */
async function nextShortOperation(
  controlRequests: ControlRequests,
  powerLoss: PowerLoss | undefined,
  random: Random,
): Promise<void> {
  if (!powerLoss || random.chance(0.3)) {
    await controlRequests.nextSent();
    await sleep(random.integer(0, 15));
    return;
  }
  const until = performance.now() + 1000;
  while (!powerLoss.hasUnsynced && performance.now() < until) await turn();
}
