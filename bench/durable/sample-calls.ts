import type { Message } from "../../src/conversation/message.js";
import { DEFAULT_SAMPLING } from "../../src/facts/recorded-sampling.js";
import { native } from "../../src/native/addon.js";
import { Session } from "../../src/session/session.js";
import { randomText } from "../../test/helpers/random.js";
import { beginTurn, recordAnswer } from "../../test/helpers/record-turn.js";
import { sized } from "../kit/sized.js";

/** The sessions of the measurements: an agent's conversation that grows by equal shares. They are the same in every process. */

export interface SessionShape {
  readonly calls: number;
  /** Distinct tokens of the whole session. On average, half of them are output. */
  readonly tokens: number;
}

/** As large as the vocabularies of today's models. */
const VOCABULARY = 151_936;
/** Of messages, as in English text with a vocabulary of this size. */
const CHARACTERS_PER_TOKEN = 4;
/** Messages are cut from this text. Making new words for each would take longer than recording. */
const TEXT = Buffer.from(randomText(2 ** 22, 1), "latin1");

const SAMPLING = { ...DEFAULT_SAMPLING, topP: 0.95, maxTokens: 1024 };

/** Records the calls of one session. */
export class SampleCalls {
  readonly #shape: SessionShape;
  readonly #number: number;
  #state: number;
  #messages: Message[] = [];
  #calls = 0;

  /** @param number decides texts and tokens */
  constructor(number: number, shape: SessionShape) {
    this.#shape = shape;
    this.#number = number;
    this.#state = Math.imul(number + 1, 2_654_435_761) >>> 0;
  }

  /** The conversation so far. It ends with an answer. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Records the next call as the server does. */
  record(session: Session): void {
    const share = Math.floor(this.#shape.tokens / this.#shape.calls);
    const outputs = Math.floor(share / 4) + (this.#next() % Math.max(1, Math.floor(share / 2)));
    const answer = this.#answer(outputs, share - outputs);
    const turn = beginTurn(session, { messages: this.#messages });
    turn.buildPrompt({ pieces: [this.#tokens(share - outputs)], continues: turn.parent });
    const generation = new native.Generation();
    generation.append(this.#tokens(outputs), this.#logprobs(outputs), this.#calls >> 2);
    recordAnswer(turn, {
      output: [answer],
      generation,
      id: `chatcmpl-${this.#number}-${this.#calls}-${"0".repeat(20)}`,
      request: `${this.#number}-${this.#calls}`.padEnd(43, "0"),
      sampling: SAMPLING,
      requestedModel: "default",
      startedAt: Date.now(),
    });
    this.#messages = [...this.#messages, answer];
    this.#calls++;
  }

  /** Adds the user's message and returns the answer to it. */
  #answer(outputs: number, inputs: number): Message {
    this.#messages = [...this.#messages, { role: "user", content: this.#text(inputs) }];
    return { role: "assistant", content: this.#text(outputs) };
  }

  #text(tokens: number): string {
    const length = tokens * CHARACTERS_PER_TOKEN;
    const start = this.#next() % (TEXT.length - length);
    return TEXT.toString("latin1", start, start + length);
  }

  #tokens(count: number): Int32Array {
    return Int32Array.from({ length: count }, () => this.#next() % VOCABULARY);
  }

  #logprobs(count: number): Float32Array {
    return Float32Array.from({ length: count }, () => -this.#next() / 2 ** 30);
  }

  #next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state;
  }
}

/** Returns the messages of a whole session. */
export function makeConversation(number: number, shape: SessionShape): readonly Message[] {
  const session = new Session({ id: "sample", taskId: "task" });
  const sample = new SampleCalls(number, shape);
  for (let call = 0; call < shape.calls; call++) sample.record(session);
  return sample.messages;
}

/** Size of a session in several measurements. */
export const SHAPE = sized<SessionShape>({ calls: 16, tokens: 16_384 }, { calls: 4, tokens: 512 });

/** The key of the n-th recorded session. */
export const sampleKey = (number: number): string => `sk-bench-session-${number}`;
