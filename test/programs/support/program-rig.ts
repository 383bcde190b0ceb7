import { onTestFinished } from "vitest";
import { parseConfig } from "../../../src/config/index.js";
import { startServer } from "../../../src/server/start.js";
import { captureLog } from "../../helpers/captured-log.js";
import { HttpTrainer } from "../../helpers/http-trainer.js";
import { type FrontCall, startRecordingFront } from "../../helpers/recording-front.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { writeQwen3Folder } from "./qwen3.js";
import type { ScriptedModel } from "./scripted-model.js";

export type TemplateType = "hf" | "concat";

/** A server as a user starts it for agent programs, with a session. */
export interface ProgramRig {
  readonly url: string;
  readonly session: { readonly id: string; readonly key: string };
  readonly trainer: HttpTrainer;
  /** The requests of the program. */
  readonly calls: readonly FrontCall[];
  /** Warnings and errors that the server logged. */
  readonly warnings: () => readonly object[];
}

const ADMIN_KEY = "sk-admin-0123456789abcdef";
const WARN = 40;
/** Tokens per frame of the engine's stream. */
const STREAM_INTERVAL = 4;

/** Starts an engine server that samples what the model writes, and a proxy for it. Both end with the test. */
export async function startProgramRig(model: ScriptedModel, templateType: TemplateType): Promise<ProgramRig> {
  const engine = await startSglangServer({
    complete: model.complete,
    onOutcome: model.hear,
    contextLength: 262_144,
    streamInterval: STREAM_INTERVAL,
    skipTokenizerInit: true,
  });
  const config = parseConfig({
    server: { port: 0, shutdown_seconds: 0 },
    engine: { type: "sglang", urls: [engine.url] },
    model: { path: writeQwen3Folder() },
    rollout: { agent: { chat_template_type: templateType, server_tools: "drop", images: "placeholder" } },
  });
  const log = captureLog();
  const server = await startServer(config, { adminKey: ADMIN_KEY, logger: log.logger });
  onTestFinished(async () => {
    await server.close();
    await engine.close();
  });
  const front = await startRecordingFront(server.url);
  onTestFinished(() => front[Symbol.asyncDispose]());
  const trainer = new HttpTrainer(server.url, ADMIN_KEY);
  const session = await trainer.openSession();
  const warnings = () => log.lines.filter(({ level }) => level >= WARN);
  return { url: front.url, session, trainer, calls: front.calls, warnings };
}
