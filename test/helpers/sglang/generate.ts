import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerBroken } from "../broken-reply.js";
import { type ServerContext, sendJson, sendText } from "./context.js";
import { cutShort } from "./cut.js";
import type { GenerateRequest } from "./protocol.js";
import { replyText } from "./reply.js";
import { BadRequest, readGenerateRequest } from "./request.js";
import { answerStream } from "./stream.js";

/** Answers one `/generate` request, with the next fault if one is waiting. */
export async function answerGenerate(context: ServerContext, body: Buffer, response: ServerResponse): Promise<void> {
  const request = readGenerateRequest(body, context.options.fast ?? false);
  const fault = context.faults.shift() ?? context.options.drawFault?.(request);
  if (fault && answerBroken(fault, response)) return;
  checkLimits(context, request);
  if (fault?.kind === "slow") await sleep(fault.milliseconds);
  response.once("close", () => context.scheduler.abort(request.rid, false));
  if (request.stream) return answerStream(context, request, fault, response);
  const outcome = cutShort(await context.scheduler.generate(request), fault);
  const { finish } = outcome;
  if (finish.type === "abort" && isErrorStatus(finish.status_code)) {
    const error = { object: "error", message: finish.message, type: finish.err_type, code: finish.status_code };
    return sendJson(response, finish.status_code, error);
  }
  const text = replyText(request, outcome, context.reply, fault);
  sendText(response, 200, fault?.kind === "truncated-json" ? text.slice(0, text.length / 2) : text);
}

function checkLimits({ contextLength, options }: ServerContext, { inputLength, sampling }: GenerateRequest): void {
  if (inputLength >= contextLength) {
    throw new BadRequest(
      `The input (${inputLength} tokens) is longer than the model's context length (${contextLength} tokens).`,
    );
  }
  if (inputLength + sampling.max_new_tokens >= contextLength) {
    throw new BadRequest(
      `Requested token count exceeds the model's maximum context length of ${contextLength} tokens.`,
    );
  }
  if (options.skipTokenizerInit && sampling.stop.length > 0) {
    throw new BadRequest("stop strings need a tokenizer, but --skip-tokenizer-init is set");
  }
}

function isErrorStatus(status: number | null | undefined): status is number {
  return status === 400 || status === 500 || status === 503;
}
