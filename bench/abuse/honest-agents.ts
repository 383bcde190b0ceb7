import { setTimeout as sleep } from "node:timers/promises";
import { randomText } from "../../test/helpers/random.js";
import { assistant, body, user } from "../proxy/bodies.js";
import { chat, type Target } from "../proxy/rig.js";
import { sized } from "../sized.js";

const AGENTS = sized(20, 4);

/** Pause after each call. With a shorter one, the agents would mostly measure how they slow down each other. */
const PAUSE_MS = 100;

/** Turns of a conversation, after which the agent begins another one. */
const TURNS = 8;

/** The calls of honest agents during one round. */
export interface Work {
  /** How long each answered call took, in milliseconds. */
  readonly times: readonly number[];
  /** Number of calls that were refused or failed. */
  readonly refused: number;
}

/** Where the agents work: a server or a gateway, and a way to start a session there, which returns its key. */
export interface Workplace {
  readonly proxy: Pick<Target, "pool">;
  session(): Promise<string>;
}

/** Agents with small conversations, each in its own session. */
export class HonestAgents {
  readonly #workplace: Workplace;
  readonly #keys: readonly string[];
  #conversations = 0;

  private constructor(workplace: Workplace, keys: readonly string[]) {
    this.#workplace = workplace;
    this.#keys = keys;
  }

  static async start(workplace: Workplace): Promise<HonestAgents> {
    return new HonestAgents(workplace, await Promise.all(Array.from({ length: AGENTS }, () => workplace.session())));
  }

  /** Lets all agents work for a while. */
  async work(seconds: number): Promise<Work> {
    const until = performance.now() + seconds * 1000;
    const works = await Promise.all(this.#keys.map((key, index) => this.#workAlone(key, index, until)));
    return {
      times: works.flatMap(({ times }) => times),
      refused: works.reduce((sum, { refused }) => sum + refused, 0),
    };
  }

  async #workAlone(key: string, index: number, until: number): Promise<Work> {
    const times: number[] = [];
    let refused = 0;
    // Without this delay, all agents would call at the same times.
    await sleep((PAUSE_MS * index) / AGENTS);
    for (let turn = 0, messages: object[] = []; performance.now() < until; turn = (turn + 1) % TURNS) {
      if (turn === 0) messages = [user(randomText(400, this.#conversations++))];
      const started = performance.now();
      const answer = await chat(this.#workplace.proxy, key, body(messages)).catch(() => undefined);
      if (answer === undefined) refused++;
      else {
        times.push(performance.now() - started);
        const { choices } = JSON.parse(answer) as { choices: [{ message: { content: string } }] };
        messages = [...messages, assistant(choices[0].message.content), user(randomText(100, turn))];
      }
      await sleep(PAUSE_MS);
    }
    return { times, refused };
  }
}
