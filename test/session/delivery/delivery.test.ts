import { describe, expect, it } from "vitest";
import { Delivery } from "../../../src/session/delivery/delivery.js";

const undelivered = [{ index: 0, reason: "undelivered" }];

describe("the answer of an interaction", () => {
  function open() {
    const changes: number[] = [];
    const evidence = { children: 0, ownReward: undefined };
    const delivery = new Delivery(
      () => evidence,
      (index) => changes.push(index),
    );
    return { delivery, changes };
  }

  it("is undelivered if its connection closed early, until it is sent after all", () => {
    const { delivery, changes } = open();
    delivery.awaitAnswer(0);
    delivery.closedEarly(0);
    expect([delivery.wasAnswered(0), delivery.allLeftOut(), changes]).toEqual([false, undelivered, []]);
    delivery.answered(0);
    expect([delivery.wasAnswered(0), delivery.allLeftOut(), changes]).toEqual([true, [], [0]]);
  });

  it("of an earlier process is undelivered until it is sent again", () => {
    const { delivery, changes } = open();
    delivery.restore([
      { answered: false, referenced: false, request: undefined, retryCount: 0, repeatedBy: undefined },
    ]);
    expect(delivery.allLeftOut()).toEqual(undelivered);
    delivery.answered(0);
    expect([delivery.allLeftOut(), changes]).toEqual([[], [0]]);
  });

  it("changes nothing if it is sent twice", () => {
    const { delivery, changes } = open();
    delivery.awaitAnswer(0);
    delivery.answered(0);
    delivery.answered(0);
    expect([delivery.awaitsAnswers, changes]).toEqual([false, [0]]);
  });

  it("is delivered once a later request refers to it, which is stored once", () => {
    const { delivery, changes } = open();
    delivery.closedEarly(0);
    delivery.referTo(0);
    delivery.referTo(0);
    expect([delivery.wasReferenced(0), delivery.allLeftOut(), changes]).toEqual([true, [], [0]]);
  });

  it("is forgotten while the data of its session is on disk only", () => {
    const { delivery } = open();
    delivery.awaitAnswer(0);
    delivery.closedEarly(1);
    delivery.referTo(2);
    const facts = () => [
      delivery.awaitsAnswers,
      ...[0, 1].map((index) => delivery.wasAnswered(index)),
      delivery.wasReferenced(2),
      delivery.mayLeaveOut,
    ];
    expect(facts()).toEqual([true, false, false, true, true]);
    delivery.unload();
    expect(facts()).toEqual([false, true, true, false, false]);
    delivery.awaitAnswer(0);
    expect(delivery.awaitsAnswers).toBe(true);
  });

  it("is forgotten with its session, whatever comes later", () => {
    const { delivery, changes } = open();
    const { attempts } = delivery;
    attempts.record(attempts.begin("repeated", 0), 0);
    delivery.closedEarly(0);
    attempts.record(attempts.begin("repeated", 1), 1);
    attempts.record(attempts.begin("open", 0), 2);
    delivery.closedEarly(2);
    attempts.fail(attempts.begin("failed", 0));
    expect([attempts.repeatedBy(0), attempts.hasFailed, changes.splice(0)]).toEqual([1, true, [0]]);
    delivery.clear();
    expect([attempts.repeatedBy(0), attempts.hasFailed, attempts.begin("open", 1).earlier]).toEqual([
      undefined,
      false,
      undefined,
    ]);
    delivery.awaitAnswer(0);
    delivery.referTo(0);
    delivery.closedEarly(0);
    delivery.answered(0);
    expect([delivery.awaitsAnswers, delivery.wasReferenced(0), delivery.mayLeaveOut]).toEqual([false, false, false]);
    expect(changes).toEqual([]);
  });
});
