import { describe, expect, it } from 'vitest';
import { claimedLeader, electedLeader, type Member } from '../../../../src/stores/eventstoredb/election.ts';

const [FOLLOWER, LEADER, READ_ONLY_REPLICA] = [6, 8, 14];
const NODES = ['a', 'b', 'c'];

/** What a node says of a cluster with that leader. */
const naming = (leader: string | null, dead: readonly string[] = [], nodes = NODES): Member[] =>
  nodes.map((address) => ({ address, state: address === leader ? LEADER : FOLLOWER, isAlive: !dead.includes(address) }));

const answers = (given: Readonly<Record<string, readonly Member[]>>) => new Map(Object.entries(given));

describe('the elected leader of a cluster', () => {
  it('is the node that all name', () => {
    expect(electedLeader(answers({ a: naming('a'), b: naming('a'), c: naming('a') }))).toBe('a');
  });

  it('is not a node that does not answer, even if the others still name it', () => {
    expect(electedLeader(answers({ b: naming('a'), c: naming('a') }))).toBeNull();
  });

  it("is the majority's when a former leader wakes and names itself", () => {
    expect(electedLeader(answers({ a: naming('a'), b: naming('b'), c: naming('b') }))).toBe('b');
  });

  it('is not decided by one of three nodes', () => {
    expect(electedLeader(answers({ b: naming('b') }))).toBeNull();
    expect(electedLeader(answers({ b: naming('b'), c: naming('a') }))).toBeNull();
  });

  it('is not a node that is reported dead', () => {
    expect(electedLeader(answers({ a: naming('a', ['a']), b: naming('a', ['a']), c: naming('a', ['a']) }))).toBeNull();
  });

  it('is decided by two of three voters, however many read-only replicas there are', () => {
    const withReplicas = [...naming('a'), ...['r', 's'].map((address) => ({ address, state: READ_ONLY_REPLICA, isAlive: true }))];
    expect(electedLeader(answers({ a: withReplicas, b: withReplicas }))).toBe('a');
  });

  it('is the only node of a cluster of one', () => {
    expect(electedLeader(answers({ a: naming('a', [], ['a']) }))).toBe('a');
  });

  it('is not decided by one node that was asked under two addresses', () => {
    expect(electedLeader(answers({ a: naming('a'), 'name-of-a': naming('a') }))).toBeNull();
  });
});

describe('the claimed leader, if most nodes cannot be reached', () => {
  it('is the only node that claims to lead', () => {
    expect(claimedLeader(answers({ a: naming('a') }))).toBe('a');
  });

  it('is null if two nodes claim to lead, or if only another node names it', () => {
    expect(claimedLeader(answers({ a: naming('a'), b: naming('b') }))).toBeNull();
    expect(claimedLeader(answers({ b: naming('a') }))).toBeNull();
  });
});
