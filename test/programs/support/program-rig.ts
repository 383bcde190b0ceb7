import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { EngineVision } from "../../helpers/engine-vision.js";
import { HttpTrainer } from "../../helpers/http-trainer.js";
import { KillableProcess } from "../../helpers/killable-process.js";
import { type FrontCall, startRecordingFront } from "../../helpers/recording-front.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { decode, encode, IMAGE_TOKEN, writeQwen3Folder } from "./qwen3.js";
import type { ScriptedModel } from "./scripted-model.js";

export type TemplateType = "hf" | "concat";

/** `rolltape serve` as a user starts it for agent programs, with a session. */
export interface ProgramRig {
  readonly url: string;
  readonly session: { readonly id: string; readonly key: string };
  readonly trainer: HttpTrainer;
  /** The requests of the program. */
  readonly calls: readonly FrontCall[];
  /** Warnings and errors that the server logged. */
  readonly warnings: () => readonly string[];
}

const ADMIN_KEY = "sk-admin-0123456789abcdef";
/** Tokens per frame of the engine's stream. */
const STREAM_INTERVAL = 4;

/** Flags that Rolltape advises. Without them, its log has warnings. */
const FLAGS = { enable_strict_thinking: true, reasoning_parser: "qwen3", enable_deterministic_inference: true };

/** Starts an engine server that samples what the model writes, and a proxy for it. Both end with the test. */
export async function startProgramRig(
  model: ScriptedModel,
  templateType: TemplateType,
  seesImages = false,
): Promise<ProgramRig> {
  const engine = await startSglangServer({
    complete: model.complete,
    onOutcome: model.hear,
    contextLength: 262_144,
    eosTokenId: encode("<|im_end|>")[0] ?? Number.NaN,
    streamInterval: STREAM_INTERVAL,
    tokenText: (id) => decode([id]),
    text: false,
    serverInfo: FLAGS,
    ...(seesImages && { vision: new EngineVision(IMAGE_TOKEN) }),
  });
  const folder = writeQwen3Folder(seesImages);
  const log = join(folder, "server.log");
  const errors = openSync(log, "w");
  const server = new KillableProcess(
    "server",
    [
      ...serveArguments(engine.url, folder, templateType),
      `rollout.agent.images=${seesImages ? "tokens" : "placeholder"}`,
    ],
    {
      ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY,
    },
    errors,
  );
  onTestFinished(async () => {
    await server.stop();
    closeSync(errors);
    await engine.close();
  });
  await server.start();
  const front = await startRecordingFront(server.url);
  onTestFinished(() => front[Symbol.asyncDispose]());
  const trainer = new HttpTrainer(server.url, ADMIN_KEY);
  const session = await trainer.openSession();
  // The level is the lowest that is logged.
  const warnings = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  return { url: front.url, session, trainer, calls: front.calls, warnings };
}

function serveArguments(engine: string, folder: string, templateType: TemplateType): string[] {
  return [
    "serve",
    "server.port=0",
    "server.shutdown_seconds=0",
    "server.log_level=warn",
    "engine.type=sglang",
    `engine.urls=[${engine}]`,
    `model.path=${folder}`,
    `rollout.agent.chat_template_type=${templateType}`,
    "rollout.agent.server_tools=drop",
  ];
}
