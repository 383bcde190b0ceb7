import OpenAI from "openai";
import { ensureTinyModel } from "../../src/engine/index.js";
import { readModelFiles } from "../../src/model/model-files.js";
import { Tokenizer } from "../../src/model/tokenizer/tokenizer.js";
import { numbers, type WireExport, type WireInteraction } from "./export-json.js";
import { Proxy, type ProxyOptions, type StartedSession } from "./proxy.js";
import type { ScriptedEngine } from "./scripted-engine.js";

/** The tokens of one call, position by position. */
export interface CallTokens {
  readonly ids: readonly number[];
  readonly mask: readonly number[];
  readonly logprobs: readonly number[];
}

export interface Recorded {
  readonly interactions: readonly WireInteraction[];
  readonly exported: readonly CallTokens[];
  readonly logged: readonly CallTokens[];
}

/** A listening proxy. Its engine returns texts of the test, encoded with the model's tokenizer. */
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

  /** Starts a session and returns OpenAI's client for it. */
  async openai(base = "/v1"): Promise<{ session: StartedSession; client: OpenAI }> {
    const session = await this.session();
    return { session, client: new OpenAI({ baseURL: this.url + base, apiKey: session.key, maxRetries: 0 }) };
  }

  /** Sets the model's next answer: this text and the token that ends a turn, with `perFrame` tokens per frame. */
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

  /** Ends a session. Returns its export, and the tokens that the engine received and sampled. */
  async recorded(session: StartedSession): Promise<Recorded> {
    await this.proxy.end(session);
    const reply = await this.proxy.export(session, { include: ["messages"] });
    const interactions = Object.values(reply.json<WireExport>().interactions);
    const exported = interactions.map((interaction) => ({
      ids: numbers(interaction, "input_ids"),
      mask: numbers(interaction, "loss_mask"),
      logprobs: numbers(interaction, "logprobs"),
    }));
    const logged = this.#said.map((output, i) => {
      const prompt = [...(this.proxy.engine.calls[i]?.prompt.tokens() ?? [])];
      const zeros = prompt.map(() => 0);
      return {
        ids: [...prompt, ...output],
        mask: [...zeros, ...output.map(() => 1)],
        logprobs: [...zeros, ...output.map((_, k) => -(k + 1) / 8)],
      };
    });
    return { interactions, exported, logged };
  }

  close(): Promise<void> {
    return this.proxy.close();
  }
}

/** Returns a tool call in the form that the tiny model's template asks for. */
export const toolCall = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
