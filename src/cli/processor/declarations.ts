import type { components } from '#client';
import { table } from '../table.ts';
import { jsonOf, objectIn, readText } from '../words.ts';
import { askServer } from './ownServer.ts';

type Draft = components['schemas']['OwnProcessorDraft'];
type Listed = components['schemas']['ListedProcessorDeclaration'];

export interface DeclareOptions {
  readonly file?: string;
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly url?: string;
  readonly mode?: Draft['mode'];
  readonly input?: Draft['inputSchema'];
  readonly output?: Draft['outputSchema'];
  readonly properties?: Record<string, unknown>;
  readonly shared?: boolean;
  readonly json?: boolean;
}

export interface TestOptions {
  readonly input: string;
  readonly properties?: Record<string, unknown>;
}

const DECLARATIONS = '/stream-configuration-service/api/v1/processor-declarations';
const PAGE = 100;

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** Members of the file first. The server checks the whole. */
const draftOf = ({ file, id, name, description, url, mode, input, output, properties }: DeclareOptions): Draft => {
  const members = {
    id,
    name,
    description,
    url,
    mode,
    inputSchema: input,
    outputSchema: output,
    propertiesJsonSchema: properties,
  };
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  return { mode: 'batch', ...(file === undefined ? {} : objectIn(file)), ...given } as unknown as Draft;
};

export const declare = async (options: DeclareOptions): Promise<void> => {
  const query = options.shared ? { scope: 'all' as const } : {};
  const answer = await askServer((server) => server.PUT(DECLARATIONS, { params: { query }, body: draftOf(options) }));
  if (options.json) return print(answer);
  process.stdout.write(`id       ${answer.id}\nversion  ${answer.version}\nurl      ${answer.url}\n`);
  if (!answer.secret) return;
  process.stdout.write(
    `secret   ${answer.secret}\nThe secret is not shown again. Start the processor with it as TRIBUTARY_PROCESSOR_SECRET.\n`,
  );
};

export const list = async (json: boolean): Promise<void> => {
  const all = await everyDeclaration();
  if (json) return print(all);
  const rows = all.map(({ id, displayName, origin, version, url }) => [id, displayName, origin, String(version ?? ''), url ?? '']);
  process.stdout.write(`${table(['id', 'name', 'origin', 'version', 'url'], rows)}\n`);
};

const everyDeclaration = async (): Promise<Listed[]> => {
  const all: Listed[] = [];
  for (let page = 0; ; page++) {
    const { content, last } = await askServer((server) => server.GET(DECLARATIONS, { params: { query: { page, size: PAGE } } }));
    all.push(...content);
    if (last) return all;
  }
};

export const rotate = async (declarationId: string, json: boolean): Promise<void> => {
  const params = { path: { declarationId } };
  const answer = await askServer((server) => server.POST(`${DECLARATIONS}/{declarationId}/secret/rotate`, { params }));
  if (json) return print(answer);
  const { secret, previousValidUntil } = answer;
  process.stdout.write(`secret   ${secret}\nThe old secret also signs until ${previousValidUntil}. The new one is not shown again.\n`);
};

export const remove = async (declarationId: string): Promise<void> => {
  const params = { path: { declarationId } };
  await askServer((server) => server.DELETE(`${DECLARATIONS}/{declarationId}`, { params }));
  process.stdout.write('Deleted.\n');
};

export const test = async (declarationId: string, { input, properties }: TestOptions): Promise<void> => {
  const params = { path: { declarationId } };
  const { inputSchema } = await askServer((server) => server.GET(`${DECLARATIONS}/{declarationId}`, { params }));
  const text = input.startsWith('@') ? readText(input.slice(1)) : input;
  const isText = inputSchema === 'string' || inputSchema === 'bytes';
  // The server checks it.
  const body = {
    input: isText ? text : jsonOf(text, '--input'),
    ...(properties && { properties }),
  } as components['schemas']['ProcessorTest'];
  const answer = await askServer((server) => server.POST(`${DECLARATIONS}/{declarationId}/test`, { params, body }));
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  if (answer.error) process.exitCode = 1;
};
