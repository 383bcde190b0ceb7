import { once } from "node:events";
import { startThread } from "../../support/start-thread.js";
import { Heartbeat } from "./heartbeat.js";
const REPORT_MS = 1000;
/**
 * A listener for probes on a thread of its own. It answers at once even if the main thread is busy or has thousands of
 * connections to accept. The main thread reports its readiness every second; a heartbeat shows whether it runs.
 */
export class ProbePort {
    url;
    #thread;
    #heartbeat;
    #logger;
    #readReadiness;
    #timer;
    #asked = 0;
    #reported = 0;
    constructor(url, thread, heartbeat, logger) {
        this.url = url;
        this.#thread = thread;
        this.#heartbeat = heartbeat;
        this.#logger = logger;
    }
    /**
     * Listens. Until {@link start}, the process is alive but not ready.
     *
     * @returns undefined if `port` is null
     * @throws Error if the port cannot be opened
     */
    static async open({ host, port, stallSeconds, logger }) {
        if (port === null)
            return undefined;
        const heartbeat = new Heartbeat();
        const workerData = { host, port, stallSeconds, beats: heartbeat.beats };
        const thread = startThread("./probe-thread", import.meta.url, { name: "probes", workerData });
        const [started] = (await once(thread, "message"));
        // From here on, the thread alone does not keep the process alive.
        thread.unref();
        if ("url" in started) {
            const probes = new ProbePort(started.url, thread, heartbeat, logger);
            thread.on("error", (err) => logger?.error({ err }, "the thread that answers probes has failed"));
            logger?.info({ url: started.url }, "probes are answered");
            return probes;
        }
        heartbeat.stop();
        await thread.terminate();
        throw new Error(`server.probe_port cannot be opened: ${started.error}`);
    }
    /** Reports the readiness now and every second. From here on, a stall of the main thread fails `/livez`. */
    async start(readReadiness) {
        this.#readReadiness = readReadiness;
        await this.refresh();
        this.#timer = setInterval(() => void this.refresh(), REPORT_MS).unref();
    }
    /** Reports the readiness now. If several reads overlap, a result older than the last report is dropped. */
    async refresh() {
        const turn = ++this.#asked;
        try {
            const readiness = await this.#readReadiness?.();
            if (readiness === undefined || turn < this.#reported)
                return;
            this.#reported = turn;
            this.#thread.postMessage(readiness);
        }
        catch (err) {
            this.#logger?.error({ err }, "the readiness for probes cannot be read");
        }
    }
    async close() {
        clearInterval(this.#timer);
        this.#heartbeat.stop();
        await this.#thread.terminate();
    }
}
//# sourceMappingURL=probe-port.js.map