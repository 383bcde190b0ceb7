import type { LogprobContent } from "../../../src/engine/engine.js";
import type { EngineServer, ReportedWeights, ServerReply } from "../../../src/engine/servers/engine-server.js";
import { ServerAdapters } from "../../../src/engine/servers/server-adapters.js";
import { ServerVersions } from "../../../src/engine/servers/versions/server-versions.js";

/** A server whose health and scheduler a test controls. */
export class FakeServer implements EngineServer {
  readonly url: string;
  readonly versions = new ServerVersions();
  readonly adapters = new ServerAdapters(async () => undefined);
  readonly budgetStart = "output";
  readonly logprobs: LogprobContent = "temperature";
  healthChecks = 0;
  unhealthy = false;
  schedulerChecks = 0;
  schedulerDead = false;
  closed = false;

  constructor(url: string) {
    this.url = url;
  }

  async send(): Promise<ServerReply> {
    return { tokens: 0 };
  }

  async loadAdapter(): Promise<void> {}

  async requireSleep(): Promise<void> {}

  async sleep(): Promise<boolean> {
    return true;
  }

  async wake(): Promise<void> {}

  async findLogprobs(): Promise<LogprobContent> {
    return this.logprobs;
  }

  async contextLength(): Promise<number> {
    return 100;
  }

  async health(): Promise<void> {
    this.healthChecks++;
    if (this.unhealthy) throw new Error("not healthy");
  }

  async schedulerHealth(): Promise<void> {
    this.schedulerChecks++;
    if (this.schedulerDead) throw new Error("no answer");
  }

  async pause(): Promise<void> {}
  async resume(): Promise<void> {}
  async loadWeights(): Promise<void> {}
  async flushCache(): Promise<void> {}

  async setWeightVersion(): Promise<boolean> {
    return true;
  }

  async weightUpdate(): Promise<ReportedWeights> {
    return {};
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
