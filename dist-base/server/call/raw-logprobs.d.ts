import type { FastifyBaseLogger } from "fastify";
import type { Engine, LogprobContent } from "../../engine/engine.js";
/** Warns once per engine if its log probabilities are not those of the distribution that tokens were sampled from. */
export declare function warnOfRawLogprobs(engine: Engine, logprobs: LogprobContent | undefined, log: FastifyBaseLogger): void;
