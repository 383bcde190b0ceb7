import { sameTemplateArgs } from "../conversation/template-args.js";
import type { ParentMatch } from "../native/contract.js";
import type { PreparedMessages } from "./completed-call.js";
import { diffMessages } from "./interaction.js";
import type { InteractionLog } from "./interaction-log.js";
import type { OwnPart } from "./request-findings.js";
import { measureRequest } from "./session-size.js";

/** Returns the part of a request that its interaction keeps. It is compared with a parent only once. */
export function readOwnPart(log: InteractionLog, request: PreparedMessages, parent: ParentMatch | undefined): OwnPart {
  const { findings } = request;
  if (findings.own && isSameMatch(findings.own.parent, parent)) return findings.own.part;
  const part = compareWithParent(log, request, parent);
  findings.own = { parent, part };
  return part;
}

function isSameMatch(one: ParentMatch | undefined, other: ParentMatch | undefined): boolean {
  return one?.index === other?.index && one?.rule === other?.rule;
}

/** A request shares equal template arguments with its parent, as it does messages. */
function compareWithParent(
  log: InteractionLog,
  { messages, templateArgs: args }: PreparedMessages,
  match: ParentMatch | undefined,
): OwnPart {
  const inherited = log.readInherited(match);
  const input = diffMessages(inherited, messages);
  const ofParent = match && log.at(match.index).templateArgs;
  const isShared = sameTemplateArgs(args, ofParent);
  const bytes = measureRequest([...input.respelled.values(), ...input.added], isShared ? undefined : args);
  return { inherited, input, templateArgs: isShared ? ofParent : args, bytes };
}
