/** One box of the picture of a chain. */
export interface ChainNode {
  readonly kind: 'source' | 'processor' | 'sink';
  readonly id: string;
  /** The processor before it; `null` for the source, and for readers of the source. */
  readonly after: string | null;
  readonly title: string;
  readonly line: string;
  /** Shown when the pointer rests on it. */
  readonly more: string;
  readonly tone: 'good' | 'bad' | 'busy' | 'quiet';
}

export interface Box {
  readonly node: ChainNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const BOX = { width: 164, height: 56 };
const SINK = { width: 130, height: 28 };
const GAP = 44;
const DROP = 26;
// Room at the left for the line to a box that is not the next one.
const ELBOW = 16;
// Least room for an arrow to a sink at the side.
const ARROW = 14;

/** Side by side with the sinks below; where that is too wide, below each other with the sinks at the side. */
export const layOut = (nodes: readonly ChainNode[], width: number): { boxes: readonly Box[]; edges: readonly string[]; height: number } => {
  const levels = levelsOf(nodes);
  const columns = Math.max(...levels.values()) + 1;
  const boxes = columns * (BOX.width + GAP) - GAP <= width ? sideBySide(nodes, levels) : oneBelowTheOther(nodes, levels, width);
  const at = (kind: ChainNode['kind'], id: string | null) => boxes.find(({ node }) => node.kind === kind && node.id === id);
  const edges = boxes.flatMap((box) => {
    const { node } = box;
    if (node.kind === 'source') return [];
    const from = node.after === null ? at('source', 'source') : at('processor', node.after);
    return from ? [edge(from, box)] : [];
  });
  return { boxes, edges, height: Math.max(...boxes.map(({ y, height }) => y + height)) + 2 };
};

/** How many boxes lie before each processor. */
const levelsOf = (nodes: readonly ChainNode[]): ReadonlyMap<string, number> => {
  const levels = new Map<string, number>();
  // Processors are in no certain order, so at most as many rounds as boxes are needed.
  for (const _ of nodes)
    for (const { kind, id, after } of nodes)
      if (kind !== 'sink') levels.set(id, kind === 'source' ? 0 : (after === null ? 0 : (levels.get(after) ?? 0)) + 1);
  return levels;
};

const sideBySide = (nodes: readonly ChainNode[], levels: ReadonlyMap<string, number>): readonly Box[] => {
  const taken = new Map<number, number>();
  const places = new Map<string, { x: number; y: number }>();
  return nodes.map((node) => {
    if (node.kind === 'sink') {
      const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
      return { node, x: x + (BOX.width - SINK.width) / 2, y: y + BOX.height + DROP, ...SINK };
    }
    const level = levels.get(node.id) ?? 0;
    const lane = taken.get(level) ?? 0;
    taken.set(level, lane + 1);
    const place = { x: level * (BOX.width + GAP), y: lane * (BOX.height + DROP + SINK.height + 22) };
    places.set(node.id, place);
    return { node, ...place, ...BOX };
  });
};

const oneBelowTheOther = (nodes: readonly ChainNode[], levels: ReadonlyMap<string, number>, width: number): readonly Box[] => {
  const levelOf = ({ kind, id }: ChainNode) => (kind === 'source' ? 0 : (levels.get(id) ?? 0));
  const boxWidth = Math.min(BOX.width, width - ELBOW - ARROW - SINK.width);
  let row = -1;
  // A processor stands below the one that it reads, and a sink beside its processor.
  return nodes
    .toSorted((a, b) => levelOf(a) - levelOf(b))
    .map((node) => {
      if (node.kind !== 'sink') row++;
      const y = row * (BOX.height + DROP);
      if (node.kind !== 'sink') return { node, x: ELBOW, y, ...BOX, width: boxWidth };
      const x = Math.min(ELBOW + boxWidth + GAP, width - SINK.width);
      return { node, x, y: y + (BOX.height - SINK.height) / 2, ...SINK };
    });
};

/** From box to box: straight, with a bend between the columns, or around boxes in between. */
const edge = (from: Box, to: Box): string => {
  if (to.x >= from.x + from.width) {
    const [x, y] = [from.x + from.width, from.y + from.height / 2];
    const [toX, toY] = [to.x, to.y + to.height / 2];
    const bend = (x + toX) / 2;
    return y === toY ? `M${x} ${y}H${toX}` : `M${x} ${y}C${bend} ${y} ${bend} ${toY} ${toX} ${toY}`;
  }
  if (to.y > from.y + from.height + DROP) return `M${from.x} ${from.y + from.height / 2}H4V${to.y + to.height / 2}H${to.x}`;
  const x = to.x + Math.min(from.width, to.width) / 2;
  return `M${x} ${from.y + from.height}V${to.y}`;
};
