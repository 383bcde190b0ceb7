import { resolve } from "node:path";
export function describeAddress({ server: { socket } }, { url, probeUrl }) {
    return {
        url,
        ...(socket === null ? {} : { socket: resolve(socket) }),
        ...(probeUrl === undefined ? {} : { probe_url: probeUrl }),
    };
}
//# sourceMappingURL=describe-address.js.map