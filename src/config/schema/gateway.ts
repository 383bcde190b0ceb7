import { z } from "zod";
import { baseUrl, optionalText } from "./values.js";

/** `rolltape gateway`: one address for many servers. It listens as `server` says. */
export const gatewaySchema = z.strictObject({
  workers: z.array(baseUrl).default([]).describe("Addresses of the servers behind the gateway."),
  workers_file: optionalText.describe(
    "File with more of them, one a line, lines with # left out; it is read again when it changes.",
  ),
  workers_folder: optionalText.describe("Shared folder in which servers register (`server.workers_folder`)."),
  poll_seconds: z
    .number()
    .min(0.05)
    .max(60)
    .default(1)
    .describe("How often the servers, the file and the folder are looked at."),
});
