import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { onTestFinished } from "vitest";
import { createSglangEngine } from "../../../src/engine/index.js";
import type { ChatModelOptions } from "../../../src/model/load-chat-model.js";
import { numbers, type WireExport, type WireInteraction } from "../../helpers/export-json.js";
import { FamilyModel } from "../../helpers/family-model.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";
import { inventedLogprob } from "../../helpers/sglang/scheduler.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { findTemplate } from "./templates.js";

export interface RigOptions {
  /** The name of a published template, or of one in templates.ts. */
  readonly template: string;
  readonly options?: ChatModelOptions;
  readonly chatTemplateType: "hf" | "concat";
}

/** Starts a proxy with a template, and an SGLang test server that returns texts of the test. */
export async function startRig({ template, options = {}, chatTemplateType }: RigOptions) {
  const { source, stops } = findTemplate(template);
  const model = await FamilyModel.write(source, stops, options);
  const said: number[][] = [];
  const next: number[][] = [];
  const served = {
    streamInterval: 1,
    complete: () => {
      const ids = next.shift() ?? [];
      said.push(ids);
      return ids;
    },
  };
  const server = await startSglangServer(served);
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
  const proxy = await Proxy.start({ engine, folder: model.folder, model: options, settings: { chatTemplateType } });
  const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  const inputs = () => server.to("/generate").map(({ json }) => json["input_ids"] as number[]);
  return {
    model,
    server,
    proxy,
    /** Sets the engine's next answer. If it is streamed, its frames have `streamInterval` tokens. */
    say: async (text: string, streamInterval = 1) => {
      served.streamInterval = streamInterval;
      next.push(await model.encode(text));
    },
    inputs,
    open: async () => {
      const session = await proxy.session();
      const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: session.key, maxRetries: 0 });
      const anthropic = new Anthropic({ baseURL: url, apiKey: session.key, authToken: null, maxRetries: 0 });
      return { session, openai, anthropic };
    },
    /** Returns the exported rows of a session, and the rows that the engine saw, from its call `from` on. */
    recorded: async (session: StartedSession, from: number) => {
      await proxy.end(session);
      const { interactions } = (await proxy.export(session)).json<WireExport>();
      const exported = Object.values(interactions);
      const logged = said.slice(from).map((output, i) => createRow(inputs()[from + i] ?? [], output));
      return { interactions: exported, exported: exported.map(toRow), logged };
    },
    calls: () => said.length,
  };
}

const createRow = (prompt: readonly number[], output: readonly number[]) => ({
  ids: [...prompt, ...output],
  mask: [...prompt.map(() => 0), ...output.map(() => 1)],
  logprobs: [...prompt.map(() => 0), ...output.map(inventedLogprob)],
});

const toRow = (interaction: WireInteraction) => ({
  ids: numbers(interaction, "input_ids"),
  mask: numbers(interaction, "loss_mask"),
  logprobs: numbers(interaction, "logprobs"),
});
