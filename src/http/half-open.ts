import type { FastifyReply } from "fastify";

/**
 * Pauses between probes, in milliseconds. The last one repeats. The first is about the round trip to a client in the same data
 * center: an answer that is sampled after the second probe is known not to be delivered to a client that is gone.
 */
const PAUSES = [1, 5, 25, 100, 1000, 5000, 15_000];

/**
 * Calls `probe` at intervals once the client has closed its side of the connection, until `stop` is called.
 *
 * A client that closed only its own side and one that is gone look the same until something is sent to them. The first bytes
 * to a client that is gone bring a reset, and the next ones then fail.
 *
 * @returns `stop`
 */
export function onHalfOpen(reply: FastifyReply, probe: () => void): () => void {
  const { socket } = reply.request.raw;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const send = (sent: number) => {
    if (stopped || socket.destroyed) return;
    probe();
    timer = setTimeout(send, PAUSES[sent] ?? PAUSES.at(-1), sent + 1);
  };
  const onEnd = () => send(0);
  if (socket.readableEnded) queueMicrotask(onEnd);
  else socket.once("end", onEnd);
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket.off("end", onEnd);
  };
}
