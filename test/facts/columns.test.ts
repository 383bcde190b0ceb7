import { describe, expect, it } from "vitest";
import {
  exportedFields,
  FACT_COLUMNS,
  type RecordedCall,
  readExportedFields,
  writeExportedFields,
} from "../../src/facts/call-facts.js";
import { completeRecord, DEFAULT_SAMPLING, type RecordedSampling } from "../../src/facts/recorded-sampling.js";
import { KNOWN_CODES } from "../helpers/export-model/row-tensors.js";
import { readPage } from "../helpers/page.js";

const FULL = {
  api: "chat.completions",
  finishReason: "length",
  createdAt: 5_250.5,
  startedAt: 3_250.5,
  requestedModel: "m",
  droppedTools: "web_search, image_generation",
  toolCount: 2,
  tag: "t",
  hints: { agentId: "a", parentAgentId: "p", turnId: "u", requestKind: "turn" },
  placeholders: 3,
  choice: 1,
  choices: 4,
  attempt: 5,
  resumes: 6,
  versionsUncertain: true,
  extended: true,
  frozen: true,
  fallback: "rerendered",
  leftOut: "retried",
} as const;

const SMALL: RecordedCall = { api: "generate", finishReason: "stop", createdAt: 1000 };

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns what FACT_COLUMNS read of a call, by name. */
function readColumns(call: RecordedCall, sampling: RecordedSampling): Record<string, unknown> {
  return Object.fromEntries(FACT_COLUMNS.map(({ name, read }) => [name, read(call, sampling)]));
}

describe("the columns of facts", () => {
  it("are in the batch format with type and meaning", () => {
    const page = readPage("reference/batch-format.md").replaceAll(
      /\[([\w.]+)\]\(\.\.\/(explanation\/\1)\)/g,
      "docs/$2",
    );
    for (const { name, dtype, meaning } of FACT_COLUMNS) {
      expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\| ${dtype} \\| row[^|]*\\| ${escape(meaning)} \\|$`, "m"));
    }
  });

  it("have the values of a call and of its sampling", () => {
    const sampling = completeRecord({
      seed: 2 ** 32 * 5 + 7,
      topK: 3,
      thinkingBudget: 9,
      overridden: true,
      logprobs: "raw",
    });
    expect(readColumns(FULL, sampling)).toMatchObject({
      api: "chat.completions",
      finish_reason: "length",
      created_at: 5.2505,
      created_at_ms: 250,
      latency: 2,
      requested_model: "m",
      dropped_tools: ["web_search", "image_generation"],
      tools: 2,
      tag: "t",
      request_kind: "turn",
      placeholders: 3,
      choice: 1,
      choices: 4,
      attempt: 5,
      resumes: 6,
      versions_uncertain: true,
      extended: true,
      frozen: true,
      cause: "rerendered",
      temperature: 1,
      top_k: 3,
      thinking_budget: 9,
      logprob_content: "raw",
      seed: 7,
      seed_high: 5,
      seeded: true,
      sampling_overridden: true,
    });
    expect(readColumns({ ...FULL, tokenExact: true }, sampling)["cause"]).toBeUndefined();
  });

  it("have defaults for a call without facts", () => {
    expect(readColumns(SMALL, DEFAULT_SAMPLING)).toMatchObject({
      latency: undefined,
      requested_model: undefined,
      dropped_tools: [],
      tools: undefined,
      placeholders: 0,
      choice: 0,
      choices: 1,
      attempt: 0,
      resumes: 0,
      versions_uncertain: false,
      extended: false,
      frozen: false,
      cause: undefined,
      seed: 0,
      seed_high: 0,
      seeded: false,
      sampling_overridden: false,
    });
  });

  it("say which value a call has that was stored without the fact", () => {
    const none = Object.fromEntries(FACT_COLUMNS.map(({ name, none: value }) => [name, value]));
    expect(none).toMatchObject({ api: -1, tools: -1, choices: 1, choice: 0, temperature: 1, top_p: 1, top_k: 0 });
    expect(none).toMatchObject({ greedy: 0, thinking_budget: -1, logprob_content: -1, seed: 0, repetition_penalty: 1 });
  });

  it("have codes for these texts in every batch", () => {
    const labels = FACT_COLUMNS.flatMap(({ name, labels: texts }) => (texts ? [[name, texts]] : []));
    // Batches of earlier versions have these codes: add texts at the end only.
    expect(Object.fromEntries(labels)).toEqual(KNOWN_CODES);
  });
});

describe("the facts of an exported call", () => {
  const fields = {
    api: "chat.completions",
    requested_model: "m",
    dropped_tools: ["web_search", "image_generation"],
    tools: 2,
    tag: "t",
    request_kind: "turn",
    agent_id: "a",
    parent_agent_id: "p",
    turn_id: "u",
    placeholders: 3,
    choice: 1,
    choices: 4,
    attempt: 5,
    resumes: 6,
    versions_uncertain: true,
    created_at: 5.2505,
    latency: 2,
    finish_reason: "length",
    left_out: "retried",
    cause: "rerendered",
    extended: true,
    frozen: true,
  };

  it("are written as JSON, and null if they are not known", () => {
    expect(writeExportedFields(FULL)).toEqual(fields);
    expect(Object.keys(exportedFields)).toEqual(Object.keys(fields));
    expect(writeExportedFields(SMALL)).toMatchObject({
      requested_model: null,
      agent_id: null,
      left_out: null,
      latency: null,
    });
  });

  it("are read by the names of client objects, without nulls", () => {
    expect(readExportedFields({ ...fields, tag: null })).toEqual({
      api: "chat.completions",
      requestedModel: "m",
      droppedTools: fields.dropped_tools,
      tools: 2,
      tag: undefined,
      requestKind: "turn",
      agentId: "a",
      parentAgentId: "p",
      turnId: "u",
      placeholders: 3,
      choice: 1,
      choices: 4,
      attempt: 5,
      resumes: 6,
      versionsUncertain: true,
      createdAt: 5.2505,
      latency: 2,
      finishReason: "length",
      leftOut: "retried",
      cause: "rerendered",
      extended: true,
      frozen: true,
    });
  });
});
