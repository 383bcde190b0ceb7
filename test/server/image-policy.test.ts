import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { withImagePolicy } from "../../src/server/image-policy.js";
import { toServerSettings } from "../../src/server/start.js";
import { writeVisionModel } from "../helpers/vision-model.js";

const ENGINE = { type: "sglang", supports: { grammar: true, stopsWithoutEos: true, images: true } };
const TEXT_ENGINE = { type: "embedded", supports: { ...ENGINE.supports, images: false } };
const TEXT_MODEL = { folder: "/models/text" };

type Value = "auto" | "tokens" | "placeholder" | "refuse";

const choose = (images: Value, model: Parameters<typeof withImagePolicy>[1]["model"], engine = ENGINE) =>
  withImagePolicy(parseConfig({ rollout: { agent: { images } } }), { model, engine }).rollout.agent.images;

describe("withImagePolicy", () => {
  it("chooses tokens if the model and the engine take images, otherwise refuses them", async () => {
    const model = await loadChatModel(await writeVisionModel());
    expect(choose("auto", model)).toBe("tokens");
    expect(choose("auto", model, TEXT_ENGINE)).toBe("refuse");
    expect(choose("auto", TEXT_MODEL)).toBe("refuse");
  });

  it("keeps what is configured", async () => {
    const model = await loadChatModel(await writeVisionModel());
    expect(choose("tokens", model)).toBe("tokens");
    expect(choose("placeholder", model)).toBe("placeholder");
    expect(choose("refuse", model)).toBe("refuse");
  });

  it("refuses tokens without a model or an engine for them, and says which", async () => {
    const model = await loadChatModel(await writeVisionModel());
    expect(() => choose("tokens", model, TEXT_ENGINE)).toThrow(
      "rollout.agent.images: must not be `tokens`: the engine (embedded) takes no images",
    );
    expect(() => choose("tokens", TEXT_MODEL)).toThrow(
      "the model in /models/text takes no images: config.json must have image_token_id",
    );
  });

  it("refuses `image_urls: fetch` if prompts have no images, and names the reason", async () => {
    const fetching = (images: Value, model: Parameters<typeof withImagePolicy>[1]["model"]) =>
      withImagePolicy(parseConfig({ rollout: { agent: { images, image_urls: "fetch" } } }), { model, engine: ENGINE });
    const model = await loadChatModel(await writeVisionModel());
    expect(fetching("auto", model).rollout.agent).toMatchObject({ images: "tokens", image_urls: "fetch" });
    const refusal = "rollout.agent.image_urls: must not be `fetch`, because `images` is";
    expect(() => fetching("placeholder", model)).toThrow(`${refusal} \`placeholder\``);
    expect(() => fetching("auto", TEXT_MODEL)).toThrow(
      `${refusal} \`refuse\`: the model in /models/text takes no images`,
    );
  });
});

it("passes `image_hosts` to the server only if it fetches images", () => {
  const hosts = (agent: object) => toServerSettings(parseConfig({ rollout: { agent } }), "key", "model").imageHosts;
  expect(hosts({})).toBeUndefined();
  expect(hosts({ image_urls: "fetch" })).toEqual([]);
  expect(hosts({ image_urls: "fetch", image_hosts: ["minio:9000"] })).toEqual(["minio:9000"]);
});
