import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
/** Exports of training data. A batch of one worker is forwarded; a batch of several workers is merged here. */
export declare function exportRoutes(app: App, context: GatewayContext): void;
