import { openJson } from "../../session/stored/sealed-json.js";
import { isHeld, type StoredHead, type StoredLease } from "../../session/stored/session-records.js";
import type { StorageReader } from "../../storage/index.js";
import { makeInert } from "../../support/inert-text.js";
import { countNoun } from "../count-noun.js";
import { formatBytes } from "../format-bytes.js";
import { readServerFacts } from "./read-facts.js";
import { readState, STORED_STATES, type StoredState } from "./session-state.js";

/** The sessions of a folder. */
interface SessionCounts {
  readonly sessions: Record<StoredState, number>;
  /** Sessions whose data is in the folder. The numbers below are theirs. */
  sessions_with_data: number;
  interactions: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Tokens without those that interactions share with their parents. */
  stored_tokens: number;
}

/** The output of `rolltape storage inspect --json`. Null: unknown. */
export interface InspectedStorage extends Readonly<SessionCounts> {
  readonly directory: string;
  /** A server has it open. */
  readonly open: boolean;
  readonly format: number | null;
  readonly model: string | null;
  readonly model_digest: string | null;
  readonly worker_tag: string | null;
  readonly capacity: number | null;
  readonly weight_version: number | null;
  /** Exports that are not acknowledged yet. Their sessions are `held`. */
  readonly held_exports: number;
  readonly file_bytes: number;
  readonly used_bytes: number;
  /** Damaged or missing parts of the log. */
  readonly damage: readonly string[];
}

/** @throws StorageError or DamagedValueError if the folder is damaged */
export function inspectStorage(reader: StorageReader): InspectedStorage {
  const { directory, damage, isLive: open } = reader;
  const { identity, origin, capacity, weightVersion } = readServerFacts(reader, directory);
  const { fileBytes, usedBytes } = reader.readSize();
  return {
    directory,
    open,
    format: identity?.format ?? null,
    model: origin?.model ?? null,
    model_digest: identity?.modelDigest ?? null,
    worker_tag: identity?.workerTag ?? null,
    capacity: capacity ?? null,
    weight_version: weightVersion ?? null,
    ...countSessions(reader),
    held_exports: [...reader.range("leases")].filter(({ value }) => isHeld(openJson(value) as StoredLease)).length,
    file_bytes: fileBytes,
    used_bytes: usedBytes,
    damage,
  };
}

function countSessions(reader: StorageReader): SessionCounts {
  const counts: SessionCounts = {
    sessions: { active: 0, ended: 0, held: 0, exported: 0, expired: 0 },
    sessions_with_data: 0,
    interactions: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    stored_tokens: 0,
  };
  for (const { value } of reader.range("sessions")) {
    const head = openJson(value) as StoredHead;
    counts.sessions[readState(head)]++;
    const { summary } = head;
    if (summary.freed) continue;
    counts.sessions_with_data++;
    counts.interactions += summary.interactionCount;
    counts.prompt_tokens += summary.promptTokens;
    counts.completion_tokens += summary.completionTokens;
    counts.stored_tokens += summary.storedTokens;
  }
  return counts;
}

/** Returns what `rolltape storage inspect` prints. */
export function describeStorage(storage: InspectedStorage): string {
  const { sessions, directory } = storage;
  const states = STORED_STATES.filter((state) => sessions[state] > 0).map((state) => `${sessions[state]} ${state}`);
  const tokens = `${storage.prompt_tokens} prompt, ${storage.completion_tokens} completion, ${storage.stored_tokens} stored`;
  const lines: readonly (readonly [string, string])[] = [
    ["folder", `${directory}${storage.open ? ", open in a server" : ""}`],
    ["format", describe(storage.format)],
    ["model", `${describe(storage.model)}, digest ${describe(storage.model_digest)}`],
    ["worker tag", describe(storage.worker_tag)],
    ["capacity", storage.capacity === null ? "unknown" : countNoun(storage.capacity, "free slot")],
    ...(storage.weight_version === null ? [] : [["weight version", String(storage.weight_version)] as const]),
    ["sessions", states.length === 0 ? "none" : states.join(", ")],
    [
      "with data",
      `${countNoun(storage.sessions_with_data, "session")}, ${countNoun(storage.interactions, "interaction")}`,
    ],
    ["tokens", tokens],
    ["held exports", String(storage.held_exports)],
    ["segments", `${formatBytes(storage.file_bytes)}, ${formatBytes(storage.used_bytes)} of it in use`],
    ...storage.damage.map((reason) => ["damage", reason] as const),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${makeInert(value)}\n`).join("");
}

function describe(value: string | number | null): string {
  return value === null ? "unknown" : String(value);
}
