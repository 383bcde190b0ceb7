import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { onTestFinished } from "vitest";

const HEADER_BYTES = 12;
const TYPES = { 1: "A", 28: "AAAA" } as const;
const CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;

/** A DNS server on the loopback interface. It answers each question with the records that the test has set, whatever the name. */
export interface DnsServer {
  /** Its address for `Resolver.setServers`. */
  readonly address: string;
  /** Addresses of the A and AAAA records. */
  records: readonly string[];
  /** Seconds for which the records may be used. */
  ttl: number;
  /** `silent`: it does not answer. */
  code: keyof typeof CODES | "silent";
  /** Overrides `code` for questions of this type. */
  failing: "A" | "AAAA" | undefined;
  /** Names and types of the questions, in order. */
  readonly questions: readonly string[];
}

export const startDns = (...records: string[]): Promise<DnsServer> =>
  startDnsAt({ host: "127.0.0.1", port: 0 }, records);

/** Starts it at an address. */
export async function startDnsAt(
  { host, port: listenPort }: { readonly host: string; readonly port: number },
  records: readonly string[],
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  const dns: Omit<DnsServer, "address"> = { records, ttl: 0, code: "NOERROR", failing: undefined, questions };
  socket.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, HEADER_BYTES) + 5;
    const type = TYPES[query.readUInt16BE(end - 4) as keyof typeof TYPES];
    questions.push(`${readName(query.subarray(HEADER_BYTES, end - 5))} ${type}`);
    const code = dns.failing === type ? "SERVFAIL" : dns.code;
    if (code === "silent") return;
    const found = code === "NOERROR" ? dns.records.filter((each) => isIPv6(each) === (type === "AAAA")) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    // The id of the query, an answer of a recursive server, one question.
    for (const [index, value] of [query.readUInt16BE(0), 0x8180 | CODES[code], 1, found.length].entries()) {
      header.writeUInt16BE(value, index * 2);
    }
    const answers = found.map((each) => toRecord(each, dns.ttl));
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(listenPort, host, resolve));
  onTestFinished(() => void socket.close());
  return Object.assign(dns, { address: `${host}:${socket.address().port}` });
}

function readName(labels: Buffer): string {
  const names: string[] = [];
  for (let at = 0; at < labels.length; at += (labels[at] ?? 0) + 1) {
    names.push(labels.toString("latin1", at + 1, at + 1 + (labels[at] ?? 0)));
  }
  return names.join(".");
}

/** A record of the name in the question. */
function toRecord(address: string, ttl: number): Buffer {
  const data = isIPv6(address) ? readIPv6(address) : Buffer.from(address.split(".").map(Number));
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, isIPv6(address) ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, data.length]);
  head.writeUInt32BE(ttl, 6);
  return Buffer.concat([head, data]);
}

function readIPv6(address: string): Buffer {
  const [left = [], right = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right];
  return Buffer.from(groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}
