import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { ProxyError } from "../../../src/client/errors.js";
import type { Interaction } from "../../../src/client/interaction.js";
import type { WeightsStatus } from "../../../src/client/weight-calls.js";
import {
  type CheckpointTensor,
  readTinyTensors,
  writeConfig,
  writeSafetensors,
} from "../../helpers/tiny-checkpoint.js";
import { until } from "../../helpers/until.js";
import type { EngineName } from "./install-engine.js";
import { recompute } from "./recompute.js";
import { type ChatAnswer, openRig, type Rig, type RigSession, type RigTarget } from "./rig.js";

/** Largest difference to transformers in float32. Other weights are off by nats. */
const TOLERANCE = 5e-5;

/** Changes a tensor of new weights; undefined leaves it out. */
export type TensorChange = (tensor: CheckpointTensor) => CheckpointTensor | undefined;

/** Leaves out a tensor. */
export function without(name: string): TensorChange {
  return (tensor) => (tensor.name === name ? undefined : tensor);
}

/** Returns status and code of a call that the proxy refused. */
export function failure(error: unknown): unknown {
  return error instanceof ProxyError ? `${error.status} ${error.code}` : error;
}

/** A rig whose engine gets new weights, and the weights of each version so far. */
export class WeightsRig implements AsyncDisposable {
  readonly rig: Rig;
  /** A folder that is removed at the end. */
  readonly scratch = mkdtempSync(join(tmpdir(), "rolltape-real-weights-"));
  readonly #engine: EngineName;
  readonly #base: string;
  readonly #folders = new Map<number, string>();
  readonly #claims: { readonly name: string; readonly interaction: Interaction }[] = [];
  #seed = 1000;
  #version = 0;

  private constructor(engine: EngineName, base: string, rig: Rig) {
    this.#engine = engine;
    this.#base = base;
    this.#folders.set(0, base);
    this.rig = rig;
  }

  /** The server then has the model's weights as version 1, whatever it had before. */
  static async open(engine: EngineName, target: RigTarget): Promise<WeightsRig> {
    const rig = await WeightsRig.openUnchanged(engine, target);
    await rig.load(target.model);
    return rig;
  }

  /** The server keeps the weights that it was started with, and names no version. */
  static async openUnchanged(engine: EngineName, target: RigTarget): Promise<WeightsRig> {
    return new WeightsRig(engine, target.model, await openRig(engine, target));
  }

  /** The version of the last {@link load} or {@link next}. */
  get version(): number {
    return this.#version;
  }

  get trainer() {
    return this.rig.trainer.admin;
  }

  /** Returns the next version, which a trainer is about to push from a folder. */
  next(folder: string): number {
    this.#folders.set(++this.#version, folder);
    return this.#version;
  }

  async load(path: string, { allowPartial = false } = {}): Promise<WeightsStatus> {
    return await this.trainer.updateWeights({ version: this.next(path), path, allowPartial });
  }

  loadAgain(): Promise<WeightsStatus> {
    return this.trainer.updateWeights({ version: this.#version, path: this.#folders.get(this.#version) ?? "" });
  }

  /** Returns tensors of the tiny model's shape with random values of their own. */
  makeTensors(change: TensorChange = (tensor) => tensor): CheckpointTensor[] {
    return readTinyTensors(++this.#seed).flatMap((tensor) => change(tensor) ?? []);
  }

  async writeWeights(change?: TensorChange): Promise<string> {
    const folder = mkdtempSync(join(this.scratch, "step-"));
    await writeConfig(folder);
    await writeSafetensors(join(folder, "model.safetensors"), this.makeTensors(change));
    return folder;
  }

  ask(session: RigSession, body: object = {}): Promise<ChatAnswer> {
    const content = `Tell me about ${session.id}. ${"More of it. ".repeat(30)}`;
    return session.chat({ messages: [{ role: "user", content }], max_tokens: 24, ignore_eos: true, ...body });
  }

  /** Returns a streamed call of which the engine has begun to send tokens. */
  async startStream(): Promise<{ readonly session: RigSession; readonly done: Promise<ChatAnswer> }> {
    const session = await this.rig.session();
    const before = this.rig.referee.calls.length;
    const done = this.ask(session, { stream: true, max_tokens: 1000 });
    const hasBegun = () =>
      this.rig.referee.calls.slice(before).some(({ answer = "" }) => answer.split("data: ").length > 5);
    await until(hasBegun);
    return { session, done };
  }

  /** Ends a session and returns the versions of its only output, in their order. {@link findWrong} checks that they are true. */
  async recordedVersions(session: RigSession): Promise<number[]> {
    const [interaction, ...others] = await session.exported();
    if (!interaction || others.length > 0) throw new Error(`${others.length + (interaction ? 1 : 0)} interactions`);
    this.#claims.push({ name: expect.getState().currentTestName ?? "", interaction });
    return [...new Set(interaction.modelResponse.outputVersions)];
  }

  /** Returns the recorded versions of a new call. */
  async askedVersions(): Promise<number[]> {
    const session = await this.rig.session();
    const { status, text } = await this.ask(session);
    if (status !== 200) throw new Error(text);
    return await this.recordedVersions(session);
  }

  /** Counts the requests to these paths that the engine has got. */
  count(paths: readonly string[]): number {
    return this.rig.referee.calls.filter(({ path }) => paths.includes(path.split("?")[0] ?? "")).length;
  }

  /**
   * Computes all recorded tokens with the weights of their versions. Returns the tests whose log probabilities differ, with the
   * largest difference.
   */
  findWrong(python: string): [string, number][] {
    const claims = this.#claims.flatMap(({ interaction }) => this.#claimsOf(interaction));
    const computed = recompute(python, claims).values();
    const worst = new Map<string, number>();
    for (const { name, interaction } of this.#claims) {
      const { outputLogprobs, outputVersions } = interaction.modelResponse;
      const rows = new Map([...new Set(outputVersions)].map((version) => [version, computed.next().value]));
      const errors = [...outputLogprobs].map((logprob, index) => {
        return Math.abs(logprob - (rows.get(outputVersions[index] ?? -1)?.[index] ?? Number.NaN));
      });
      worst.set(name, Math.max(worst.get(name) ?? 0, ...errors));
    }
    const table = [...worst].map(([name, error]) => `${error.toExponential(1)}  ${name}`);
    process.stdout.write(`largest difference by test:\n${table.join("\n")}\n`);
    return [...worst].filter(([, error]) => !(error <= TOLERANCE));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A test that failed may have left an update.
    await this.trainer.abandonWeights();
    await this.trainer.updateWeights({ version: 0, path: this.#base });
    await this.rig[Symbol.asyncDispose]();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  /** Returns one claim for each version: that its weights sampled the whole output. */
  #claimsOf({ modelResponse, sampling }: Interaction) {
    if (!sampling) throw new Error("no sampling was recorded");
    const { inputTokens, outputTokens, outputVersions } = modelResponse;
    return [...new Set(outputVersions)].map((version) => ({
      model: this.#folders.get(version) ?? "",
      prompt: [...inputTokens],
      output: [...outputTokens],
      sampling,
      request: "{}",
      engine: this.#engine,
    }));
  }
}
