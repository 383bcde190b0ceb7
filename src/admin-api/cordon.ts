import { z } from "zod";
import { controlBody } from "../http/control-body.js";

export const cordonBody = controlBody({
  worker: z
    .string()
    .min(1)
    .optional()
    .describe("Tag of the server. Through a gateway it is required, and may also be the worker's address."),
});

export const cordonState = z.object({
  cordoned: z.boolean().describe("The server starts no new sessions."),
  sessions: z
    .int()
    .describe(
      "Sessions that are active, not exported yet, or whose export is not acknowledged. At 0, it can be stopped.",
    ),
});

export const CORDON_PATHS = { cordon: "/rl/cordon", uncordon: "/rl/uncordon" } as const;
