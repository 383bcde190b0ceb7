import { setTimeout as sleep } from "node:timers/promises";
import { assistant, body, user } from "../proxy/bodies.js";
import { chat, type Rig } from "../proxy/rig.js";
import { sized } from "../sized.js";
import { randomText } from "../text.js";

const AGENTS = sized(20, 4);

/** An agent works between its calls: with less, the agents would measure how they compete with each other. */
const PAUSE_MS = 100;

/** Turns of a conversation, after which the agent begins another one. */
const TURNS = 8;

/** Agents with small conversations, each in its own session. */
export class HonestAgents {
  readonly #rig: Rig;
  readonly #keys: readonly string[];
  #conversations = 0;

  private constructor(rig: Rig, keys: readonly string[]) {
    this.#rig = rig;
    this.#keys = keys;
  }

  static async start(rig: Rig): Promise<HonestAgents> {
    return new HonestAgents(rig, await Promise.all(Array.from({ length: AGENTS }, () => rig.session())));
  }

  /** Lets all agents work for a while. Returns how long each call took, in milliseconds. */
  async work(seconds: number): Promise<number[]> {
    const until = performance.now() + seconds * 1000;
    const times = await Promise.all(this.#keys.map((key, index) => this.#workAlone(key, index, until)));
    return times.flat();
  }

  async #workAlone(key: string, index: number, until: number): Promise<number[]> {
    const times: number[] = [];
    // Agents that start together would stay together.
    await sleep((PAUSE_MS * index) / AGENTS);
    for (let turn = 0, messages: object[] = []; performance.now() < until; turn = (turn + 1) % TURNS) {
      if (turn === 0) messages = [user(randomText(400, this.#conversations++))];
      const started = performance.now();
      const { choices } = JSON.parse(await chat(this.#rig.proxy, key, body(messages))) as {
        choices: [{ message: { content: string } }];
      };
      times.push(performance.now() - started);
      messages = [...messages, assistant(choices[0].message.content), user(randomText(100, turn))];
      await sleep(PAUSE_MS);
    }
    return times;
  }
}
