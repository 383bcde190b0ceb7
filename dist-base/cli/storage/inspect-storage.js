import { isHeld } from "../../session/stored/held-exports.js";
import { openJson } from "../../session/stored/sealed-json.js";
import { makeInert } from "../../support/inert-text.js";
import { countNoun } from "../count-noun.js";
import { formatBytes } from "../format-bytes.js";
import { readServerFacts } from "./read-facts.js";
import { readState, STORED_STATES } from "./session-state.js";
/** @throws StorageError or PageError if the folder is damaged */
export function inspectStorage(directory, reader, isOpen) {
    const { identity, origin, capacity, weightVersion } = readServerFacts(reader, directory);
    const { fileBytes, usedBytes } = reader.readSize();
    return {
        directory,
        open: isOpen,
        format: identity?.format ?? null,
        model: origin?.model ?? null,
        model_digest: identity?.modelDigest ?? null,
        worker_tag: identity?.workerTag ?? null,
        capacity: capacity ?? null,
        weight_version: weightVersion ?? null,
        ...countSessions(reader),
        held_exports: [...reader.range("leases")].filter(({ value }) => isHeld(openJson(value))).length,
        file_bytes: fileBytes,
        used_bytes: usedBytes,
    };
}
function countSessions(reader) {
    const counts = {
        sessions: { active: 0, ended: 0, held: 0, exported: 0, expired: 0 },
        sessions_with_data: 0,
        interactions: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        stored_tokens: 0,
    };
    for (const { value } of reader.range("sessions")) {
        const head = openJson(value);
        counts.sessions[readState(head)]++;
        const { summary } = head;
        if (summary.freed)
            continue;
        counts.sessions_with_data++;
        counts.interactions += summary.interactionCount;
        counts.prompt_tokens += summary.promptTokens;
        counts.completion_tokens += summary.completionTokens;
        counts.stored_tokens += summary.storedTokens;
    }
    return counts;
}
/** Returns what `rolltape storage inspect` prints. */
export function describeStorage(storage) {
    const { sessions, directory } = storage;
    const states = STORED_STATES.filter((state) => sessions[state] > 0).map((state) => `${sessions[state]} ${state}`);
    const tokens = `${storage.prompt_tokens} prompt, ${storage.completion_tokens} completion, ${storage.stored_tokens} stored`;
    const lines = [
        ["folder", `${directory}${storage.open ? ", open in a server" : ""}`],
        ["format", describe(storage.format)],
        ["model", `${describe(storage.model)}, digest ${describe(storage.model_digest)}`],
        ["worker tag", describe(storage.worker_tag)],
        ["capacity", storage.capacity === null ? "unknown" : countNoun(storage.capacity, "free slot")],
        ...(storage.weight_version === null ? [] : [["weight version", String(storage.weight_version)]]),
        ["sessions", states.length === 0 ? "none" : states.join(", ")],
        [
            "with data",
            `${countNoun(storage.sessions_with_data, "session")}, ${countNoun(storage.interactions, "interaction")}`,
        ],
        ["tokens", tokens],
        ["held exports", String(storage.held_exports)],
        ["file", `${formatBytes(storage.file_bytes)}, ${formatBytes(storage.used_bytes)} of it in use`],
    ];
    const width = Math.max(...lines.map(([name]) => name.length));
    return lines.map(([name, value]) => `${name.padEnd(width)}  ${makeInert(value)}\n`).join("");
}
function describe(value) {
    return value === null ? "unknown" : String(value);
}
//# sourceMappingURL=inspect-storage.js.map