import { ProxyError } from "../../client/errors.js";
import { failedWeights, type WeightsStatus } from "../../client/weight-calls.js";
import { readEnvironmentKey } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import { isHttpUrl } from "../../rollout/http-url.js";
import { makeInert } from "../../support/inert-text.js";
import { countNoun } from "../count-noun.js";
import { WeightsCommandError } from "../weights/errors.js";

/** Options of `rolltape weights`. */
export interface WeightsCommandOptions {
  readonly version?: number;
  readonly external?: boolean;
  readonly finish?: boolean;
  readonly giveUp?: boolean;
  readonly status?: boolean;
  readonly exclude?: readonly string[];
  readonly allowPartial?: boolean;
  readonly json?: boolean;
}

/** `rolltape weights`: loads new weights into the engine of a proxy or gateway, and shows the progress. */
export async function weights(url: string, path: string | undefined, options: WeightsCommandOptions): Promise<void> {
  if (!isHttpUrl(url)) {
    throw invalid(`The first argument must be the URL of a proxy, such as http://127.0.0.1:8090; received ${url}.`);
  }
  const run = chooseCall(path, options);
  const adminKey = readEnvironmentKey(process.env);
  if (!adminKey) throw invalid("ROLLTAPE_ADMIN_API_KEY must be set to the admin key of the proxy.");
  await using proxy = connectProxy({ url, adminKey });
  const progress = new WeightsProgress(process.stderr);
  try {
    const status = await run(proxy.admin, { exclude: options.exclude, onProgress: (each) => progress.show(each) });
    progress.clear();
    print(status, options);
  } catch (error) {
    progress.clear();
    const failed = failedWeights(error);
    // As text, the reason is printed once: by the error.
    if (failed) print(options.json ? failed : { ...failed, error: null }, options);
    throw withHint(error);
  }
}

function withHint(error: unknown): unknown {
  if (!(error instanceof ProxyError) || error.status !== 401) return error;
  const message = `${error.message} ROLLTAPE_ADMIN_API_KEY must be the admin key of the proxy.`;
  return new ProxyError(error.code, message, { status: error.status, cause: error });
}

function print(status: WeightsStatus, { json }: WeightsCommandOptions): void {
  process.stdout.write(json ? `${JSON.stringify(status)}\n` : describeWeights(status));
}

type Admin = ReturnType<typeof connectProxy>["admin"];
type Call = (admin: Admin, options: Parameters<Admin["updateWeights"]>[1]) => Promise<WeightsStatus>;

/** @throws WeightsCommandError if the options do not describe one call */
function chooseCall(path: string | undefined, options: WeightsCommandOptions): Call {
  const { version, external = false, finish = false, giveUp = false, status = false, allowPartial } = options;
  if (allowPartial && path === undefined) throw invalid("--allow-partial needs PATH.");
  const chosen = [path !== undefined, external, finish, giveUp, status].filter(Boolean).length;
  if (chosen !== 1) throw invalid("Expected one of PATH, --external, --finish, --give-up and --status.");
  if (status) return (admin) => admin.weights();
  if (giveUp) return (admin) => admin.abandonWeights();
  if (version === undefined) throw invalid("--version must be set to the version of the new weights.");
  if (finish) return (admin, more) => admin.finishWeights(version, more);
  if (path !== undefined) return (admin, more) => admin.updateWeights({ version, path, allowPartial }, more);
  return (admin, more) => admin.updateWeights({ version, external: true }, more);
}

function invalid(message: string): WeightsCommandError {
  return new WeightsCommandError("invalid_arguments", message);
}

/** Returns what the command prints at its end. */
export function describeWeights({
  state,
  version,
  targetVersion,
  pausedSeconds,
  notChecked,
  error,
  servers,
}: WeightsStatus): string {
  const target = targetVersion === null ? "" : `, update to ${targetVersion}: ${state}`;
  const paused = pausedSeconds === null ? "" : `, calls held for ${pausedSeconds.toFixed(3)} s`;
  const lines = servers.map((server) => {
    const seconds = server.seconds === null ? "" : ` in ${server.seconds.toFixed(3)} s`;
    const problem = server.error === null ? "" : `: ${makeInert(server.error)}`;
    return `  ${makeInert(server.url)}  version ${server.version ?? "unknown"}, ${server.state}${seconds}${problem}\n`;
  });
  const problems = [error, notChecked].flatMap((each) => (each === null ? [] : `  ${makeInert(each)}\n`));
  return `version ${version}${target}${paused}\n${problems.join("")}${lines.join("")}`;
}

const CLEAR_LINE = "\r\u001b[K";

/** The part of standard error that the progress is written to. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows on a terminal how far a weight update is. */
export class WeightsProgress {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show({ state, targetVersion, servers, pausedSeconds }: WeightsStatus): void {
    if (!this.#terminal.isTTY || state === "idle") return;
    const loaded = servers.filter((server) => server.state === "loaded").length;
    const held = `calls held for ${(pausedSeconds ?? 0).toFixed(1)} s`;
    const done = `${loaded} of ${countNoun(servers.length, "server")} loaded`;
    this.#terminal.write(`${CLEAR_LINE}version ${targetVersion ?? "?"}: ${state}, ${done}, ${held}`);
  }

  /** Removes the line, so that something else can be printed. */
  clear(): void {
    if (this.#terminal.isTTY) this.#terminal.write(CLEAR_LINE);
  }
}
