import { sized } from "../sized.js";

/** Tokens of one output: the longest context of common models. */
export const TOKENS = sized(131_072, 3_000);

/** The most alternatives that a request may ask for with each token. */
export const ALTERNATIVES = 20;
