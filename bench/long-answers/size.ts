import { sized } from "../sized.js";

/** Tokens of one output: the longest context of common models. */
export const TOKENS = sized(131_072, 3_000);

/** The most alternatives that a request may ask for with each token. */
export const ALTERNATIVES = 20;

/** Answers of one call, as many as `rollout.agent.max_choices` allows by default, and the tokens of each. */
export const CHOICES = sized(64, 4);
export const CHOICE_TOKENS = sized(2048, 300);
