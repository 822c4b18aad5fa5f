import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeSettings, ROLES, readConfig } from '../../../src/config.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly environment?: Record<string, string>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Record<string, { condition: string }>;
}

// What the tests look into is what they check.
const compose: { services: Record<string, Service>; volumes: Record<string, unknown> } = parse(read('docker-compose.yml'), { merge: true });
const services = Object.entries(compose.services);
const nodes = services.filter(([, { image }]) => image === 'tributary');
const dockerfile = read('Dockerfile');
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** As Compose fills in `${NAME:-default}` and `${NAME:?message}`. */
const GIVEN: Record<string, string> = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), BOOTSTRAP_API_KEY: 'k'.repeat(32) };
const filledIn = (value: string): string =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) => {
    const given = GIVEN[name] ?? (kind === '-' ? rest : undefined);
    if (given === undefined) throw new Error(`${name} has no value here`);
    return given;
  });

describe('docker-compose.yml', () => {
  test.each(nodes)('gives %s existing settings with valid values', (_, { environment = {} }) => {
    const known = describeSettings().map(({ name }) => name);
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(() => readConfig(Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value)])))).not.toThrow();
  });

  test('passes on every setting of .env except those that it or the image sets', () => {
    const own = ['PORT', 'HOST', 'TRUST_PROXY', 'DATA_DIR', 'EVENTSTORE_URL', 'MONGODB_URL', 'ROLES'];
    for (const name of own) expect(read('.env.example').split('\n\n')[0]).toContain(name);
    const others = describeSettings().flatMap(({ name }) => (own.includes(name) ? [] : name));
    for (const [node, { environment = {} }] of nodes)
      expect([node, others.filter((name) => !environment[name]?.startsWith(`\${${name}:`))]).toEqual([node, []]);
  });

  test('starts two http nodes and one node of each other role', () => {
    const roles = nodes.map(([, { environment }]) => environment?.ROLES).sort();
    expect(roles).toEqual([...ROLES, 'http'].sort());
  });

  test('builds the image once, because services that build it side by side fail on a fresh machine', () => {
    expect(services.flatMap(([, { build }]) => build ?? [])).toMatchObject([{ context: '.', args: {} }]);
  });

  test('puts all http nodes behind one port, which passes WebSockets and large bodies unbuffered', () => {
    const nginx = read('deploy/nginx.conf');
    const behind = [...nginx.matchAll(/^ {2}server (\S+):8080/gm)].map(([, name]) => name);
    expect(behind).toEqual(nodes.filter(([, { environment }]) => environment?.ROLES === 'http').map(([name]) => name));
    for (const wanted of ['client_max_body_size 0', 'proxy_request_buffering off', 'proxy_buffering off', 'Upgrade $http_upgrade', '4 64k'])
      expect(nginx).toContain(wanted);
    const { volumes = [] } = compose.services.proxy ?? {};
    for (const volume of volumes) expect(existsSync(new URL(volume.split(':')[0] ?? '', ROOT))).toBe(true);
  });

  test('waits for healthy services, and every service has a health check', () => {
    for (const [name, { healthcheck, image, depends_on = {} }] of services) {
      expect(healthcheck !== undefined || image === 'tributary', name).toBe(true);
      for (const [other, { condition }] of Object.entries(depends_on))
        expect([other in compose.services, condition]).toEqual([true, 'service_healthy']);
    }
  });

  test('declares the volumes that it uses', () => {
    const used = services
      .flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((name) => !name.startsWith('.'));
    expect(used.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

describe('the Dockerfile', () => {
  test('sets only existing settings', () => {
    const set = [...lastStage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => (line ?? '').split(' '));
    const known = [...describeSettings().map(({ name }) => name), 'NODE_ENV'];
    const others = set.filter((pair) => !known.includes(pair.split('=')[0] ?? ''));
    expect(set.length).toBeGreaterThan(others.length);
    // Those of glibc, as in a start without the image.
    const { scripts } = JSON.parse(read('package.json'));
    expect(others).toEqual(scripts.start.split(' ').filter((word: string) => word.includes('=')));
  });

  test('copies only files that exist and that .dockerignore lets through', () => {
    const through = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names]) => (names ?? '').split(' '));
    expect(copied.filter((name) => !existsSync(new URL(name, ROOT)))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(through.sort());
  });

  test('runs without root, with the speech engine that setup installs and without build and test tools', () => {
    expect(lastStage).toMatch(/^USER node$/m);
    const packages = /SPEECH_PACKAGES = \[(.*)\]/.exec(read('scripts/setup/systemPackages.mjs'))?.[1]?.replaceAll(/[',]/g, '');
    expect(dockerfile).toContain(`--no-install-recommends ${packages}`);
    expect(lastStage).toMatch(/^FROM speech$/m);
    expect(lastStage).toContain('npm ci --omit=dev');
  });
});
