import { type Profiler, Session } from 'node:inspector/promises';

/** Between two looks at the stack. */
const INTERVAL_MICROSECONDS = 1_000;
/** Not work of the program: waiting, and what V8 cannot name. */
const UNNAMED = new Set(['(idle)', '(program)', '(root)']);

/** Functions of this program that ran, with the time of all that they called, in milliseconds. */
export type Ran = Readonly<Record<string, number>>;

/** Records what runs in this thread until the returned function is called. */
export const recordWhatRuns = async (): Promise<() => Promise<Ran>> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return ranIn(profile);
  };
};

/** Each sample counts for the innermost function of the program's own files, or for the function itself if it has none above it. */
const ranIn = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Ran => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const ownerOf = (id: number): string | null => {
    const functionName = byId.get(id)?.callFrame.functionName ?? '';
    if (UNNAMED.has(functionName)) return null;
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { url = '', functionName: name = '' } = byId.get(at)?.callFrame ?? {};
      const [, file] = /\/dist\/(?:src\/)?(.*)\.js$/.exec(url) ?? [];
      if (file !== undefined) return `${name || 'anonymous'} (${file})`;
    }
    return functionName || 'anonymous';
  };
  const ran = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const owner = ownerOf(id);
    if (owner !== null) ran.set(owner, (ran.get(owner) ?? 0) + (timeDeltas[index] ?? 0) / 1_000);
  }
  return Object.fromEntries([...ran].sort(([, a], [, b]) => b - a));
};
