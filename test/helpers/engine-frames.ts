import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import type { EngineServerOptions } from "../../src/engine/servers/engine-server-options.js";

/** The wire format of an engine's streams. */
export interface EngineWire {
  readonly engine: (urls: readonly string[], options?: Partial<EngineServerOptions>) => Engine;
  readonly path: string;
  /** Returns the JSON of a frame with these tokens. `total` counts all tokens so far. */
  readonly frame: (frame: WireFrame) => object;
}

export interface WireFrame {
  readonly ids: readonly number[];
  readonly total: number;
  readonly last?: boolean;
  /** Replaces the ids that are listed with the log probabilities. */
  readonly said?: readonly number[];
}

const OPTIONS = { timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 };

export const WIRES: Readonly<Record<"sglang" | "vllm", EngineWire>> = {
  sglang: {
    engine: (urls, options) => createSglangEngine({ ...OPTIONS, urls, ...options }),
    path: "POST /generate",
    frame: ({ ids, total, last, said = ids }) => ({
      text: "é",
      output_ids: said,
      meta_info: {
        id: "r",
        finish_reason: last ? { type: "length", length: total } : null,
        completion_tokens: total,
        output_token_logprobs: ids.map((id) => [logprobOf(id), id, null]),
        output_token_logprobs_length: total,
      },
    }),
  },
  vllm: {
    engine: (urls, options) => createVllmEngine({ ...OPTIONS, urls, model: "m", api: "generate", ...options }),
    path: "POST /inference/v1/generate",
    frame: ({ ids, last, said = ids }) => ({
      request_id: "é",
      choices: [
        {
          index: 0,
          token_ids: said,
          logprobs: { content: ids.map((id) => ({ token_id: id, logprob: logprobOf(id) })) },
          finish_reason: last ? "length" : null,
        },
      ],
    }),
  },
};

/** The log probability of an id, which a float32 represents exactly. */
export const logprobOf = (id: number): number => -id / 64;

/** Returns server-sent events with frames of three tokens each, whose ids count up from 10. */
export function streamText(wire: EngineWire, frames: number): string[] {
  const events = Array.from({ length: frames }, (_, index) => {
    const ids = [0, 1, 2].map((k) => 10 + 3 * index + k);
    return wire.frame({ ids, total: 3 * (index + 1), last: index === frames - 1 });
  });
  return [...events.map(eventOf), "data: [DONE]\n\n"];
}

export const eventOf = (frame: object): string => `data: ${JSON.stringify(frame)}\n\n`;

/** Returns the ids in {@link streamText}. */
export const streamIds = (frames: number): number[] => Array.from({ length: 3 * frames }, (_, index) => 10 + index);
