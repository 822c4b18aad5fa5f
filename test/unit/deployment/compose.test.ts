import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeSettings, ROLES } from '../../../src/config.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: object;
  readonly environment?: Record<string, string>;
  readonly env_file?: readonly object[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Record<string, { condition: string }>;
}

// What the tests look into is what they check.
const composeFile = (name: string): { services: Record<string, Service>; volumes: Record<string, unknown> } =>
  parse(read(name), { merge: true });
const compose = composeFile('docker-compose.cluster.yml');
const services = Object.entries(compose.services);
const nodes = services.filter(([, { image }]) => image === 'tributary');
const dockerfile = read('Dockerfile');

describe('docker-compose.cluster.yml', () => {
  test('gives its nodes only existing settings, and passes on what .env sets', () => {
    const known = describeSettings().map(({ name }) => name);
    for (const [name, { environment = {}, env_file }] of [
      ...nodes,
      ...Object.entries(composeFile('docker-compose.yml').services).slice(0, 1),
    ]) {
      expect([name, Object.keys(environment).filter((setting) => !known.includes(setting))]).toEqual([name, []]);
      expect(env_file).toEqual([{ path: '.env', required: false }]);
    }
  });

  test('starts two http nodes and one node of each other role', () => {
    const roles = nodes.map(([, { environment }]) => environment?.ROLES).sort();
    expect(roles).toEqual([...ROLES, 'http'].sort());
  });

  test('builds the image once, because services that build it side by side fail on a fresh machine', () => {
    expect(services.flatMap(([, { build }]) => build ?? [])).toMatchObject([{ context: '.', args: {} }]);
  });

  test('puts all http nodes behind one port', () => {
    const nginx = read('deploy/nginx.conf');
    const upstreams = [...nginx.matchAll(/^upstream \w+ \{\n[^}]*^\}/gm)].map(([text]) => text);
    expect(upstreams).toHaveLength(2);
    for (const upstream of upstreams) {
      const behind = [...upstream.matchAll(/^ {2}server (\S+):8080 resolve /gm)].map(([, name]) => name);
      expect(behind).toEqual(nodes.filter(([, { environment }]) => environment?.ROLES === 'http').map(([name]) => name));
    }
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

test.each(['deploy/nginx.conf', 'deploy/nginx-one-machine.conf'])('%s passes WebSockets and large bodies unbuffered', (name) => {
  const nginx = read(name);
  for (const wanted of ['client_max_body_size 0', 'proxy_request_buffering off', 'proxy_buffering off', 'Upgrade $http_upgrade', '4 64k'])
    expect(nginx).toContain(wanted);
});

describe('the Dockerfile', () => {
  test('sets only existing settings', () => {
    const set = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => (line ?? '').split(' '));
    const known = [...describeSettings().map(({ name }) => name), 'NODE_ENV'];
    const others = set.filter((pair) => !known.includes(pair.split('=')[0] ?? ''));
    expect(set.length).toBeGreaterThan(others.length);
    expect(others).toEqual([]);
  });

  test('copies only files that exist and that .dockerignore lets through', () => {
    const through = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names]) => (names ?? '').split(' '));
    expect(copied.filter((name) => !existsSync(new URL(name, ROOT)))).toEqual([]);
    // Of a folder that is let through, single files are copied first: other changes keep their layers.
    const whole = copied.filter((name) => !through.some((folder) => name.startsWith(`${folder}/`)));
    expect([...new Set(whole)].sort()).toEqual(through.sort());
  });

  test('runs without root, with the speech engines that setup installs and the version of the program', () => {
    expect(dockerfile.match(/^USER node$/gm)).toHaveLength(2);
    const [ffmpeg, python, venv] = (/SPEECH_PACKAGES = \[(.*)\]/.exec(read('scripts/setup/systemPackages.mjs'))?.[1] ?? '')
      .replaceAll("'", '')
      .split(', ');
    expect(dockerfile).toContain(`--no-install-recommends ${ffmpeg} ${python} \\`);
    expect(dockerfile).toContain(`--no-install-recommends ${python} ${venv} binutils \\`);
    expect(dockerfile).toContain(`org.opencontainers.image.version="${JSON.parse(read('package.json')).version}"`);
  });
});
