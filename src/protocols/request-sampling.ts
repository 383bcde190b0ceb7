import { PLAIN_SAMPLING, type Sampling } from "../facts/sampling.js";

/** The sampling parameters of a request, the same for every protocol. The server adds the rest. */
export interface RequestSampling extends Sampling {
  /** Undefined: the reasoning has no limit of its own. */
  readonly thinkingBudget: ThinkingBudget | undefined;
  /** Undefined: as many as fit the context. */
  readonly maxTokens: number | undefined;
  readonly structure: OutputSchema | undefined;
}

/** A limit of the reasoning tokens. */
export interface ThinkingBudget {
  readonly tokens: number;
  /** The request's field that sets it. */
  readonly param: string;
}

/** A JSON schema that the output must match. */
export interface OutputSchema {
  /** JSON text. */
  readonly jsonSchema: string;
  /** The request's field that asks for it. */
  readonly param: string;
}

/** The sampling of a request without any parameter. */
export const DEFAULT_REQUEST: RequestSampling = {
  ...PLAIN_SAMPLING,
  thinkingBudget: undefined,
  maxTokens: undefined,
  structure: undefined,
};
