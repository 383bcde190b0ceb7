import { describe, expect, it } from "vitest";
import { Interaction } from "../../src/client/interaction.js";
import type { WireInteraction } from "../../src/client/wire-interaction.js";

type WireTensor = WireInteraction["tensor_dict"]["rewards"];

const tensor = (dtype: WireTensor["dtype"], shape: number[], values: readonly number[]): WireTensor => {
  const numbers = {
    "torch.int32": () => Int32Array.from(values),
    "torch.float32": () => Float32Array.from(values),
    "torch.bool": () => Uint8Array.from(values),
  }[dtype]();
  return { type: "tensor", dtype, shape, data: Buffer.from(numbers.buffer).toString("base64") };
};

const REQUIRED: WireInteraction = {
  interaction_id: "a",
  parent_id: null,
  token_exact: false,
  reward: 0.5,
  own_reward: null,
  api: "chat.completions",
  created_at: 12.5,
  finish_reason: "stop",
  versions_uncertain: false,
  completion_tokens: 1,
  tensor_dict: {
    input_ids: tensor("torch.int32", [1, 3], [7, 8, 9]),
    loss_mask: tensor("torch.int32", [1, 3], [0, 0, 1]),
    logprobs: tensor("torch.float32", [1, 3], [0, 0, -0.5]),
    versions: tensor("torch.int32", [1, 3], [-1, -1, 4]),
    attention_mask: tensor("torch.bool", [1, 3], [1, 1, 1]),
    rewards: tensor("torch.float32", [1], [0.5]),
  },
};

const OPTIONAL = {
  parent_id: "p",
  compacted_from: "c",
  own_reward: 0.25,
  requested_model: "requested",
  dropped_tools: ["web_search"],
  tools: 3,
  tag: "judge",
  request_kind: "side",
  agent_id: "agent",
  parent_agent_id: "main",
  turn_id: "turn",
  placeholders: 2,
  choice: 1,
  choices: 4,
  attempt: 5,
  resumes: 7,
  left_out: "undelivered",
  versions_uncertain: true,
  forced_tokens: 6,
  latency: 2.5,
  cause: "tools_changed",
  extended: true,
};

function create(wire: object, model?: string, all: ReadonlyMap<string, Interaction> = new Map()): Interaction {
  return new Interaction({ ...REQUIRED, ...wire }, { model, all });
}

describe("an exported interaction", () => {
  it("has every field that the proxy sends", () => {
    expect(create(OPTIONAL)).toMatchObject({
      id: "a",
      parentId: "p",
      compactedFromId: "c",
      tokenExact: false,
      reward: 0.5,
      ownReward: 0.25,
      api: "chat.completions",
      requestedModel: "requested",
      droppedTools: ["web_search"],
      tools: 3,
      tag: "judge",
      requestKind: "side",
      agentId: "agent",
      parentAgentId: "main",
      turnId: "turn",
      placeholders: 2,
      choice: 1,
      choices: 4,
      attempt: 5,
      resumes: 7,
      leftOut: "undelivered",
      versionsUncertain: true,
      forcedTokens: 6,
      createdAt: 12.5,
      latency: 2.5,
      finishReason: "stop",
      cause: "tools_changed",
      extended: true,
    });
  });

  it("has undefined for what the proxy does not know or does not send, and certain versions", () => {
    const nullable = ["parent_id", "compacted_from", "own_reward", "requested_model", "tools", "tag", "request_kind"];
    nullable.push("agent_id", "parent_agent_id", "turn_id", "latency", "cause");
    for (const nothing of [undefined, null]) {
      const interaction = create(Object.fromEntries(nullable.map((name) => [name, nothing])));
      const known = ["id", "tokenExact", "reward", "api", "createdAt", "finishReason", "versionsUncertain"];
      const others = Object.entries(interaction).filter(([name]) => !known.includes(name));
      expect(others.filter(([, value]) => value !== undefined)).toEqual([]);
      expect(interaction.versionsUncertain).toBe(false);
    }
  });

  it("has its parent if the export contains it", () => {
    const parent = create({ interaction_id: "p" });
    expect(create({ parent_id: "p" }, undefined, new Map([["p", parent]])).parent).toBe(parent);
    expect(create({ parent_id: "p" }).parent).toBeUndefined();
    expect(parent.parent).toBeUndefined();
  });

  it("decodes its tensors, and splits the engine's input and output", () => {
    const interaction = create({});
    expect(interaction.toTensorDict()).toMatchObject({
      input_ids: { dtype: "I32", shape: [1, 3], data: Int32Array.of(7, 8, 9) },
      logprobs: { dtype: "F32", shape: [1, 3], data: Float32Array.of(0, 0, -0.5) },
      attention_mask: { dtype: "BOOL", shape: [1, 3], data: Uint8Array.of(1, 1, 1) },
    });
    expect([...interaction.modelResponse.inputTokens]).toEqual([7, 8]);
    expect([...interaction.modelResponse.outputTokens]).toEqual([9]);
  });

  it.each([
    ["torch.int32", 11],
    ["torch.bool", 4],
  ] as const)("refuses a tensor %s with %i bytes for three numbers", (dtype, bytes) => {
    const cut = { type: "tensor", dtype, shape: [1, 3], data: Buffer.alloc(bytes).toString("base64") };
    const interaction = create({ tensor_dict: { ...REQUIRED.tensor_dict, input_ids: cut } });
    expect(() => interaction.toTensorDict()).toThrow(expect.objectContaining({ code: "invalid_reply" }));
  });
});

describe("the completion of an interaction", () => {
  const output_message_list = [{ role: "assistant", content: "Hello." }];

  it("is what the agent got: its start is the end without the latency", () => {
    expect(create({ output_message_list, latency: 2.5 }, "tiny").completion).toMatchObject({
      id: "a",
      created: 10,
      model: "tiny",
      choices: [{ message: { content: "Hello." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 2, completion_tokens: 1 },
    });
  });

  it.each([
    ["", [{ id: "1" }], null],
    ["", [], ""],
    ["", undefined, ""],
    ["text", [{ id: "1" }], "text"],
  ])("has the content %j with the tool calls %j as %j, as OpenAI has it", (content, tool_calls, shown) => {
    const wire = { output_message_list: [{ role: "assistant", content, tool_calls }] };
    expect(create(wire).completion?.choices[0].message).toEqual({
      role: "assistant",
      content: shown,
      tool_calls,
      refusal: null,
    });
  });

  it("names the requested model if the proxy is too old to name its own", () => {
    expect(create({ output_message_list, requested_model: "asked" }).completion?.model).toBe("asked");
    expect(create({ output_message_list }).completion).toMatchObject({ model: "", created: 12 });
  });

  it("is undefined for other APIs, and without messages", () => {
    expect(create({ output_message_list, api: "messages" }).completion).toBeUndefined();
    expect(create({}).completion).toBeUndefined();
  });
});
