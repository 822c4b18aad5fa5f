// The HTTP side of the fake, on the same port as gRPC.
import { createServer } from 'node:http';

const json = (response, status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** `GET /info`, `GET /users/$current` and `POST /admin/scavenge`. Wrong credentials are 401 on every path. */
export const httpSide = ({ log, rights, faults }) =>
  createServer((request, response) => {
    if (faults.hang || faults.silentHttp) return;
    const user = rights.on ? rights.user(request.headers.authorization) : { name: 'anonymous', groups: ['$admins'] };
    if (user === 'wrong') return json(response, 401, {});
    const asked = `${request.method} ${decodeURIComponent(request.url)}`;
    if (asked === 'GET /info') return json(response, 200, { esVersion: '23.10.6.0', state: 'leader' });
    if (user === null) return json(response, 401, {});
    if (asked === 'GET /users/$current') return json(response, 200, { data: { loginName: user.name, groups: user.groups }, success: true });
    if (asked !== 'POST /admin/scavenge') return json(response, 404, {});
    if (request.headers['content-length'] !== '0') return json(response, 411, {});
    if (!user.groups.includes('$admins') && !user.groups.includes('$ops')) return json(response, 401, {});
    log.scavenge();
    json(response, 200, { scavengeId: 'fake' });
  });
