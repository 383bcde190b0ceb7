import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { writeModelFolder } from "../model/support/model-folder.js";

const USER = { role: "user", content: "your move" };

let opponent: ScriptedEngine;
let critic: ScriptedEngine;
let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  opponent = new ScriptedEngine();
  critic = new ScriptedEngine();
  proxy = await Proxy.start({
    engines: [
      { name: "opponent", frozen: true, engine: opponent },
      { name: "critic", frozen: false, engine: critic },
    ],
  });
  session = await proxy.session();
});
afterEach(() => proxy.close());

interface Interactions {
  readonly interactions: Record<
    string,
    { requested_model: string; frozen: boolean; parent_id: string | null; own_reward: number | null }
  >;
  readonly filtered?: number;
}

async function readAll(extra: object = { models: ["*"] }): Promise<Interactions> {
  await proxy.end(session);
  return (await proxy.export(session, extra)).json<Interactions>();
}

describe("a request's model", () => {
  it("chooses the engine, and the main one if it is absent", async () => {
    await proxy.chat(session, [USER], { model: "opponent" });
    await proxy.chat(session, [USER], { model: "critic" });
    await proxy.chat(session, [USER], { model: "tiny" });
    await proxy.chat(session, [USER], { model: undefined });
    expect([opponent.calls.length, critic.calls.length, proxy.engine.calls.length]).toEqual([1, 1, 2]);
  });

  it("is the model of the answer", async () => {
    const reply = await proxy.chat(session, [USER], { model: "opponent" });
    expect(reply.json<{ model: string }>().model).toBe("opponent");
  });

  it("that no engine has gets OpenAI's 404", async () => {
    const reply = await proxy.chat(session, [USER], { model: "gpt-9" });
    expect([reply.refusal, reply.error.param]).toEqual(["404 model_not_found", "model"]);
    expect(reply.error.message).toBe("The model `gpt-9` does not exist. This server answers tiny, opponent, critic.");
  });

  it("is any name on a server with one model", async () => {
    const other = await Proxy.start();
    try {
      expect((await other.chat(await other.session(), [USER], { model: "gpt-9" })).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it("decides which template and tokenizer count the tokens of a prompt", async () => {
    const body = { model: "gpt-9", messages: [USER] };
    expect((await proxy.post("/v1/messages/count_tokens", body, session.key)).status).toBe(404);
    expect((await proxy.post("/v1/messages/count_tokens", { ...body, model: "opponent" }, session.key)).status).toBe(
      200,
    );
  });
});

describe("the model lists", () => {
  it("have every model", async () => {
    const list = (await proxy.request({ url: "/v1/models" })).json<{ data: { id: string }[] }>();
    expect(list.data.map(({ id }) => id)).toEqual(["tiny", "opponent", "critic"]);
    expect((await proxy.request({ url: "/v1/models/critic" })).json<{ id: string }>().id).toBe("critic");
    expect((await proxy.request({ url: "/v1/models/gpt-9" })).refusal).toBe("404 model_not_found");
    const google = (await proxy.request({ url: "/v1beta/models" })).json<{ models: { name: string }[] }>();
    expect(google.models.map(({ name }) => name)).toEqual(["models/tiny", "models/opponent", "models/critic"]);
  });
});

describe("interactions of several models in one session", () => {
  it("are never parents of each other, although their messages continue", async () => {
    const first = await proxy.turn(session, [USER], { model: "opponent" });
    const second = await proxy.turn(session, [...first.messages, USER], { model: "tiny" });
    const third = await proxy.turn(session, [...second.messages, USER], { model: "opponent" });
    const { interactions } = await readAll();
    expect(interactions[second.id]?.parent_id).toBeNull();
    // The opponent's second prompt repeats its first one.
    expect(interactions[third.id]?.parent_id).toBe(first.id);
  });

  it("are never parents of prompts of token ids", async () => {
    await proxy.chat(session, [USER], { model: "opponent" });
    const [call] = opponent.calls;
    const prompt = [...(call?.prompt.tokens() ?? []), 300, 301, 302, 303];
    const reply = await proxy.post("/v1/completions", { model: "tiny", prompt }, session.key);
    const { interactions } = await readAll();
    expect(interactions[reply.json<{ id: string }>().id]?.parent_id).toBeNull();
  });

  it("of a frozen model are exported only if `models` names it", async () => {
    await proxy.chat(session, [USER], { model: "opponent" });
    await proxy.chat(session, [USER], { model: "critic" });
    await proxy.chat(session, [USER]);
    await proxy.end(session);
    const rows = async (extra: object) => {
      const { raw } = await proxy.post("/export_batch", { session_ids: [session.id], ...extra });
      const { tensors, metadata } = readSafetensors(raw);
      const codes = (JSON.parse(metadata["row_codes"] ?? "{}") as Record<string, string[]>)["requested_model"] ?? [];
      const models = tensors["row_requested_model"]?.data.map((code) => codes[code]);
      return { models, frozen: tensors["row_frozen"]?.data, filtered: metadata["filtered"] };
    };
    expect(await rows({})).toEqual({ models: ["critic", "tiny"], frozen: [0, 0], filtered: "1" });
    expect(await rows({ models: ["opponent"] })).toEqual({ models: ["opponent"], frozen: [1], filtered: "2" });
    expect(await rows({ models: ["tiny"] })).toEqual({ models: ["tiny"], frozen: [0], filtered: "2" });
  });

  it("are counted in a JSON export that leaves those of a frozen model out", async () => {
    await proxy.chat(session, [USER], { model: "opponent" });
    await proxy.chat(session, [USER]);
    const { interactions, filtered } = await readAll({});
    expect([Object.values(interactions).map(({ frozen }) => frozen), filtered]).toEqual([[false], 1]);
  });

  it("have the weight version of their model", async () => {
    await proxy.post("/rl/set_version", { version: 4 });
    await proxy.post("/rl/set_version", { version: 7, model: "critic" });
    for (const model of ["tiny", "critic", "opponent"]) await proxy.chat(session, [USER], { model });
    await proxy.end(session);
    const { raw } = await proxy.post("/export_batch", { session_ids: [session.id], models: ["*"] });
    expect(readSafetensors(raw).tensors["row_max_version"]?.data).toEqual([4, 7, 0]);
  });
});

describe("a reward without an interaction", () => {
  it("goes to the last completion of a trained model", async () => {
    const { id } = await proxy.turn(session, [USER]);
    await proxy.chat(session, [USER], { model: "opponent" });
    await proxy.reward(session, 0.5);
    const { interactions } = await readAll();
    expect(Object.entries(interactions).flatMap(([key, { own_reward }]) => (own_reward === null ? [] : [key]))).toEqual(
      [id],
    );
  });

  it("goes to the last completion if all are of frozen models", async () => {
    const { id } = await proxy.turn(session, [USER], { model: "opponent" });
    await proxy.reward(session, 0.5);
    expect((await readAll()).interactions[id]?.own_reward).toBe(0.5);
  });
});

describe("control calls", () => {
  it("say which of several trained models they are for", async () => {
    const reply = await proxy.post("/rl/weights", { version: 1, path: "/weights" });
    expect([reply.refusal, reply.error.message]).toEqual([
      "400 invalid_value",
      "`model` must be set, because several models are trained: tiny, critic.",
    ]);
    const frozen = await proxy.post("/rl/weights", { version: 1, path: "/weights", model: "opponent" });
    expect([frozen.refusal, frozen.error.message]).toEqual([
      "400 invalid_value",
      "`model` must name a model that is trained; opponent is frozen.",
    ]);
    expect((await proxy.post("/rl/set_version", { version: 1, model: "gpt-9" })).refusal).toBe("404 model_not_found");
  });

  it("refuse a model's name on a server with one model", async () => {
    const other = await Proxy.start();
    try {
      expect((await other.post("/rl/set_version", { version: 1, model: "tiny" })).refusal).toBe("404 model_not_found");
    } finally {
      await other.close();
    }
  });

  it("list the models with their versions", async () => {
    await proxy.post("/rl/set_version", { version: 4 });
    const { models } = (await proxy.request({ url: "/rl/engine" })).json<{ models: object[] }>();
    expect(models).toMatchObject([
      { model: "tiny", frozen: false, weight_version: 4 },
      { model: "opponent", frozen: true, weight_version: 0 },
      { model: "critic", frozen: false, weight_version: 4 },
    ]);
  });
});

describe("a further model with another tokenizer", () => {
  it("renders its prompts with its own model", async () => {
    const template = "{% for message in messages %}{{ message.content }}{% endfor %}!";
    const model = await loadChatModel(writeModelFolder(template, ["<|im_end|>"]));
    const other = await Proxy.start({ engines: [{ name: "other", frozen: true, engine: opponent, model }] });
    try {
      const own = await other.session();
      await other.chat(own, [USER], { model: "other" });
      await other.chat(own, [USER]);
      const [theirs, ours] = [opponent.calls[0], other.engine.calls[0]].map((call) => [
        ...(call?.prompt.tokens() ?? []),
      ]);
      expect(model.decode(Int32Array.from(theirs ?? []), { skipSpecialTokens: false })).toBe("your move!");
      expect(ours).not.toEqual(theirs);
    } finally {
      await other.close();
      await model.close();
    }
  });
});

describe("the metrics", () => {
  it("have the model of each recorded token", async () => {
    await proxy.chat(session, [USER], { model: "opponent" });
    const text = (await proxy.request({ url: "/metrics" })).raw.toString();
    expect(text).toContain('rolltape_tokens_total{direction="completion",model="opponent"} 3');
  });
});
