import { expect } from "vitest";
import { readModelFiles } from "../../src/conversation/model-files.js";
import { Tokenizer } from "../../src/conversation/tokenizer/tokenizer.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { numbers, type WireExport } from "./export-json.js";
import { Proxy, type ProxyOptions, type StartedSession } from "./proxy.js";
import type { ScriptedEngine } from "./scripted-engine.js";

/** A listening proxy whose engine says what a test writes, in the model's own tokens. */
export class ServedAgents {
  readonly proxy: Proxy;
  readonly url: string;
  readonly #tokenizer: Tokenizer;
  readonly #said: number[][] = [];

  private constructor(proxy: Proxy, url: string, tokenizer: Tokenizer) {
    this.proxy = proxy;
    this.url = url;
    this.#tokenizer = tokenizer;
  }

  static async start(options: ProxyOptions<ScriptedEngine> = {}): Promise<ServedAgents> {
    const proxy = await Proxy.start(options);
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const files = await readModelFiles((await ensureTinyModel()).folder);
    return new ServedAgents(
      proxy,
      url,
      new Tokenizer({ tokenizer: files.tokenizer, config: files.tokenizerConfig }, 0),
    );
  }

  /** The model's next answer: this text and the token that ends a turn, a few tokens at a time. */
  async say(text: string, perFrame = 3): Promise<void> {
    const [end = 0] = this.proxy.context.model.stopTokenIds;
    const ids = [...(await this.#tokenizer.encode(text)).flatMap((piece) => [...piece]), end];
    this.#said.push(ids);
    this.proxy.engine.replies.push({ ids, perFrame, finish: { reason: "stop", matched: end } });
  }

  async session(): Promise<StartedSession> {
    this.#said.length = 0;
    this.proxy.engine.calls.length = 0;
    this.proxy.engine.replies.length = 0;
    return this.proxy.session();
  }

  /** Ends the session and checks every exported number against what the engine was given and what it sampled. */
  async expectRecorded(session: StartedSession): Promise<WireExport["interactions"][string][]> {
    await this.proxy.end(session);
    const exported = (await this.proxy.export(session, { include: ["messages"] })).json<WireExport>();
    const interactions = Object.values(exported.interactions);
    expect(interactions).toHaveLength(this.#said.length);
    for (const [i, interaction] of interactions.entries()) {
      const prompt = [...(this.proxy.engine.calls[i]?.prompt.tokens() ?? [])];
      const output = this.#said[i] ?? [];
      const zeros = prompt.map(() => 0);
      expect(numbers(interaction, "input_ids")).toEqual([...prompt, ...output]);
      expect(numbers(interaction, "loss_mask")).toEqual([...zeros, ...output.map(() => 1)]);
      expect(numbers(interaction, "logprobs")).toEqual([...zeros, ...output.map((_, k) => -(k + 1) / 8)]);
    }
    return interactions;
  }

  close(): Promise<void> {
    return this.proxy.close();
  }
}

/** A tool call as the tiny model's template asks for it. */
export const toolCall = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
