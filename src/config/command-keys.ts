import { isWrittenEmpty } from "./empty-key.js";
import { ConfigError } from "./errors.js";
import { configKeys, findKeyAbove } from "./key.js";
import { readOverrides } from "./overrides.js";
import type { ConfigSources } from "./resolve-config.js";
import type { Config } from "./schema/sections.js";
import { listCommands, type Need, type Part } from "./schema/used-by.js";
import { normalizeSpelling } from "./spelling.js";
import { mapLeaves } from "./tree.js";

/** A command with certain options. `usedBy` in the schema says which keys have an effect on it. */
export interface Command {
  readonly name: string;
  readonly runs: readonly Part[];
  /** Reasons why keys have no effect, by the part that the command does not run or the need that it does not meet. They end a message. */
  readonly lacks?: Partial<Record<Part | Need, string | false | undefined>>;
}

/** A single server. */
export const SERVE: Command = { name: "serve", runs: ["serve", "proxy"] };

const FOR_SERVERS = "`rolltape gateway` does not use it; set it for the servers behind the gateway";
export const GATEWAY: Command = { name: "gateway", runs: ["gateway"], lacks: { proxy: FOR_SERVERS } };

const NO_SERVER = "`rolltape worker` starts no server and no engine";
const FROM_CONTROLLER = "the controller uses it, and tells its workers what they need";
export const WORKER: Command = {
  name: "worker",
  runs: ["worker"],
  lacks: { proxy: NO_SERVER, gateway: NO_SERVER, rollout: FROM_CONTROLLER },
};

const IN_JOB_FILE = "`rolltape job` uses `scheduler.type` only; set it in the commands of the job file";
export const JOB: Command = {
  name: "job",
  runs: ["job"],
  lacks: {
    serve: IN_JOB_FILE,
    proxy: IN_JOB_FILE,
    gateway: IN_JOB_FILE,
    rollout: IN_JOB_FILE,
    ownWorkers: IN_JOB_FILE,
    worker: IN_JOB_FILE,
  },
};

/** Returns `rolltape serve` with this configuration. */
export function serveCommand(config: Config, sources: ConfigSources = {}): Command {
  const storage = lackOfStorage(config, sources);
  if (config.server.workers === 1) return { ...SERVE, lacks: { storage } };
  const lacks = { storage, "running servers": "`server.workers` starts its own servers" };
  return { ...SERVE, runs: [...SERVE.runs, "gateway"], lacks };
}

/**
 * Returns why keys that need storage have no effect; undefined if they do.
 *
 * @param sources of the configuration, to say if the folder is written without a value
 */
export function lackOfStorage({ storage: { directory } }: Config, sources: ConfigSources = {}): string | undefined {
  if (directory !== null) return undefined;
  return isWrittenEmpty("storage.directory", sources)
    ? "`storage.directory` has an empty value, so sessions are not stored; set it to a folder"
    : "sessions are not stored without `storage.directory`";
}

/**
 * Refuses keys of `storage` without effect, also those of a file, because whoever sets them expects that sessions are stored. A
 * gateway does not call this: it may share a file with servers whose folders are arguments.
 *
 * @throws {@link ConfigError} `config_invalid`, which lists each such key
 */
export function refuseUnusedStorage(config: Config, sources: ConfigSources = {}): void {
  const values: Record<string, unknown> = {};
  mapLeaves(config.storage, (value, path) => (values[`storage.${path}`] = value));
  const changed = configKeys.filter(({ path, defaultValue }) => path in values && values[path] !== defaultValue);
  refuse(
    changed.map(({ path }) => path),
    serveCommand(config, sources),
  );
}

/**
 * Refuses `key=value` arguments with keys that the command does not use. Keys in a file are accepted, because commands
 * share files.
 *
 * @throws {@link ConfigError} `config_invalid`, which lists each such key
 */
export function refuseUnused(overrides: readonly string[], command: Command): void {
  refuse(keysIn(overrides), command);
}

function refuse(keys: readonly string[], command: Command): void {
  const problems = keys.flatMap((path) => {
    const reason = whyUnused(path, command);
    return reason === undefined ? [] : [{ path, message: `has no effect: ${reason}` }];
  });
  if (problems.length > 0) throw new ConfigError("config_invalid", problems);
}

/**
 * Returns the arguments that have an effect on the command.
 *
 * @param chosen keys whose arguments are left out, because the caller chooses their values
 */
export function withoutUnused(
  overrides: readonly string[],
  command: Command,
  chosen: readonly string[] = [],
): string[] {
  const isUsed = (key: string) => !chosen.includes(key) && whyUnused(key, command) === undefined;
  return overrides.filter((override) => keysIn([override]).some(isUsed));
}

/** Returns the commands that use a key or something inside its value: `serve`, `rollout`, …. */
export function findUsers(path: string): string[] {
  return listCommands(findKeyAbove(path)?.usedBy ?? []);
}

/** Returns why a key has no effect on a command; undefined if it has an effect, or if there is no such key. */
function whyUnused(path: string, { name, runs, lacks = {} }: Command): string | undefined {
  const key = findKeyAbove(path);
  if (!key) return undefined;
  const { usedBy, needs } = key;
  const isRun = usedBy.some((part) => runs.includes(part));
  const reason = (isRun ? needs : usedBy).map((each) => lacks[each]).find((each) => each);
  if (isRun || reason) return reason || undefined;
  const users = listCommands(usedBy).map((user) => `\`rolltape ${user}\``);
  return `${users.join(" and ")} ${users.length === 1 ? "uses" : "use"} it, \`rolltape ${name}\` does not`;
}

function keysIn(overrides: readonly string[]): string[] {
  const keys: string[] = [];
  mapLeaves(normalizeSpelling(readOverrides(overrides).value).value, (_, path) => keys.push(path));
  return keys;
}
