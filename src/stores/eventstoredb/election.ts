/** A node of a cluster as another one, or the node itself, describes it. */
export interface Member {
  /** `host:port` under which the nodes name it. */
  readonly address: string;
  /** A number of `MemberInfo.VNodeState`. */
  readonly state: number;
  readonly isAlive: boolean;
}

/** The newest answer of each node that answers now, by the requested address. */
export type Answers = ReadonlyMap<string, readonly Member[]>;

const [LEADER, MANAGER, READ_ONLY_LEADERLESS, PRE_READ_ONLY_REPLICA, READ_ONLY_REPLICA] = [8, 9, 12, 13, 14];
const READ_ONLY = [READ_ONLY_LEADERLESS, PRE_READ_ONLY_REPLICA, READ_ONLY_REPLICA];

const leaderIn = (members: readonly Member[] | undefined): string | undefined =>
  members?.find(({ state, isAlive }) => isAlive && state === LEADER)?.address;

const isVoter = ({ state }: Member): boolean => state !== MANAGER && !READ_ONLY.includes(state);

/**
 * The leader named by more than half of the nodes, if it answers too; otherwise `null`. Nodes that have not yet noticed that the leader is paused
 * or cut off continue to name it, but it does not answer; a paused leader that wakes names itself, but the others do not.
 */
export const electedLeader = (answers: Answers): string | null => {
  const size = Math.max(0, ...[...answers.values()].map((members) => members.filter(isVoter).length));
  for (const [leader, votes] of votesIn(answers)) if (votes > size / 2 && answers.has(leader)) return leader;
  return null;
};

/** Without a majority, because most nodes cannot be reached from here: the only node that claims to lead, unless another leader is named. */
export const claimedLeader = (answers: Answers): string | null => {
  const [only, another] = votesIn(answers).keys();
  return only !== undefined && another === undefined && leaderIn(answers.get(only)) === only ? only : null;
};

/** Only nodes that were asked at the address under which the others name them, so that each has one vote. */
const votesIn = (answers: Answers): Map<string, number> => {
  const known = new Set([...answers.values()].flatMap((members) => members.map(({ address }) => address)));
  const votes = new Map<string, number>();
  for (const [address, members] of answers) {
    const leader = known.has(address) ? leaderIn(members) : undefined;
    if (leader !== undefined) votes.set(leader, (votes.get(leader) ?? 0) + 1);
  }
  return votes;
};
