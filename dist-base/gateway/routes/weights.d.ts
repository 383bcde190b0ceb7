import type { App } from "../../http/app-type.js";
import type { GatewayWeights } from "../weights/open-weights.js";
/** Updates the weights of the engine servers of all workers. Each server loads once. */
export declare function weightRoutes(app: App, weights: GatewayWeights): void;
