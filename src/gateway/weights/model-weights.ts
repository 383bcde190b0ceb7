import type { FastifyRequest } from "fastify";
import { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { type GatewayWeights, type GatewayWeightsOptions, openGatewayWeights } from "./open-weights.js";

/** Bounds the models that clients name. */
const MAX_MODELS = 100;

/** The weight updates of a gateway, by the model that calls name. Workers know which models there are. */
export class ModelWeights {
  /** Those of calls that name no model. */
  readonly main: GatewayWeights;
  readonly #context: GatewayContext;
  readonly #options: Omit<GatewayWeightsOptions, "model">;
  readonly #byModel = new Map<string, GatewayWeights>();

  constructor(context: GatewayContext, options: Omit<GatewayWeightsOptions, "model">) {
    this.#context = context;
    this.#options = options;
    this.main = openGatewayWeights(context, options);
  }

  /**
   * Returns the weights of a model, prepared for a call; see {@link GatewayWeights.prepare}.
   *
   * @throws ApiError also if no worker has the model
   */
  async prepare(request: FastifyRequest, model: string | undefined): Promise<GatewayWeights> {
    const known = model === undefined ? this.main : this.#byModel.get(model);
    const weights = known ?? openGatewayWeights(this.#context, { ...this.#options, model });
    await weights.prepare(request);
    if (model === undefined || known) return weights;
    // Another call may have opened them meanwhile.
    const opened = this.#byModel.get(model);
    if (opened) return opened;
    if (this.#byModel.size >= MAX_MODELS) {
      throw new ApiError("invalid_value", `This gateway updates at most ${MAX_MODELS} models.`, { param: "model" });
    }
    this.#byModel.set(model, weights);
    return weights;
  }

  /** @throws ApiError `weights_busy` while an update of the model, or of any model if none is named, is active */
  requireNone(model: string | undefined): void {
    const concerned = model === undefined ? [this.main, ...this.#byModel.values()] : [this.#byModel.get(model)];
    for (const each of concerned) each?.updates.requireNone();
  }

  /** Says why calls are held and what to do; undefined if no update holds any. */
  describeHold(): string | undefined {
    const all = [this.main, ...this.#byModel.values()];
    return all.map(({ updates }) => updates.describeHold()).find((text) => text !== undefined);
  }

  close(): void {
    for (const weights of [this.main, ...this.#byModel.values()]) weights.close();
  }
}
