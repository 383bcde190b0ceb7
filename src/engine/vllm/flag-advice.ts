import { EngineError } from "../engine.js";

/** What to do about a refusal whose reason is a flag of the server. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /sampling distribution replay requires/,
    "The server was started with `--return-sampling-mask`, which takes only calls with `top_k` and a `temperature` above 0. " +
      "Start it without this flag, or set both for every call.",
  ],
  [
    /skip_tokenizer_init/,
    "The server was started with `--tokens-only` or `--skip-tokenizer-init`, so it takes no calls with structured output or " +
      "enforced tool calls. Start it without these flags.",
  ],
];

/** Returns the error of a request with an advice, if the server's flags explain the refusal; otherwise the same error. */
export function adviseOnFlags(error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== "engine_rejected_request") return error;
  const { message } = error;
  const advice = ADVICE.find(([reason]) => reason.test(message));
  return advice ? new EngineError(error.code, `${message.replace(/\.?$/, ".")} ${advice[1]}`, { cause: error }) : error;
}
