import type { FastifyBaseLogger } from "fastify";
import type { Engine, LogprobContent } from "../../engine/engine.js";

const warned = new WeakSet<Engine>();

/** Warns once per engine if its log probabilities are not those of the distribution that tokens were sampled from. */
export function warnOfRawLogprobs(engine: Engine, logprobs: LogprobContent | undefined, log: FastifyBaseLogger): void {
  if (logprobs !== "raw" || warned.has(engine)) return;
  warned.add(engine);
  log.warn(
    { engine: engine.type },
    "The engine reports log probabilities before temperature and penalties. Start vLLM with " +
      "--logprobs-mode processed_logprobs. GET /rl/engine names the servers.",
  );
}
