import { expect, test } from 'vitest';
import { call } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { startServer } from './server.ts';
import { tributary } from './tributary.ts';
import { Visitor } from './visitor.ts';

const SELF = '/credential-service/api/v1/credentials/self';

test('a link from the command line signs an administrator in once, when its button is pressed', async () => {
  const server = await startServer();
  const { code, stdout } = await tributary(server.dataDir, ['link'], server.environment);
  expect(code).toBe(0);
  const [, url, token] = /^(\S+)\/#\/link\/([\w-]{43})\n$/.exec(stdout) ?? [];
  // Beside the cluster form, the command line knows the address by PUBLIC_URL only.
  if (!isClusterForm) expect(url).toBe(server.url);
  const visitor = new Visitor();
  const use = (given: string | undefined) => visitor.change(`${server.url}/sign-in/link`, 'POST', { token: given });
  expect((await use('no-such-link')).status).toBe(401);
  // A page of another site cannot sign the browser in.
  expect((await call(server.url, '/sign-in/link', { method: 'POST', key: null, body: { token } })).status).toBe(403);
  expect((await use(token)).status).toBe(204);
  const me = await (await visitor.request(server.url + SELF)).json();
  expect(me).toMatchObject({ roles: ['admin'], session: { name: 'Administrator, by a sign-in link' } });
  const sessions = await (await visitor.request(`${server.url}/credential-service/api/v1/sessions`)).json();
  expect(sessions).toMatchObject({ content: [{ current: true }] });
  expect((await use(token)).status).toBe(401);
  expect((await call(server.url, '/credential-service/api/v1/credentials?subject=*')).body.content).toHaveLength(2);
});
