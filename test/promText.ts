/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

const sampleOf = (line: string): Sample => {
  const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  return { name, labels: Object.fromEntries([...labels.matchAll(LABEL)].map((match) => [match[1], match[2]])), value: Number(value) };
};

/** Parses `/metrics`. Throws at an invalid line, and at samples before their help and type. */
export const parseMetrics = (text: string): MetricFamily[] => {
  const families: { name: string; help: string; type: string; samples: Sample[] }[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') families.push({ name, help: rest, type: '', samples: [] });
    const family = families.at(-1);
    if (!family) throw new Error(`before any HELP: ${line}`);
    if (keyword === 'TYPE') family.type = rest;
    else if (!line.startsWith('#')) {
      const sample = sampleOf(line);
      if (!sample.name.startsWith(family.name)) throw new Error(`${sample.name} under ${family.name}`);
      family.samples.push(sample);
    }
  }
  return families;
};

/** Complaints that `promtool check metrics` would have about this product's metrics. */
export const lintMetrics = (families: readonly MetricFamily[]): string[] =>
  families.flatMap(({ name, help, type, samples }) => {
    const complaints: string[] = [];
    if (help === '') complaints.push('no help');
    if (!['counter', 'gauge', 'histogram'].includes(type)) complaints.push(`type ${type}`);
    if ((type === 'counter') !== name.endsWith('_total')) complaints.push('_total is for counters, and for all of them');
    if (/_(count|sum|bucket|info_total)$/.test(name)) complaints.push('reserved suffix');
    if (/[A-Z]|__/.test(name)) complaints.push('not in snake case');
    if (/milliseconds|_ms\b|minutes|kilobytes|megabytes|_percent/.test(name)) complaints.push('not a base unit');
    if (type === 'histogram' && !samples.some(({ labels }) => labels.le === '+Inf') && samples.length > 0) complaints.push('no +Inf');
    return complaints.map((complaint) => `${name}: ${complaint}`);
  });

/** Sum of the samples of a name that have these labels. */
export const valueIn = (families: readonly MetricFamily[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  families
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
