// A fake EventStoreDB as a process of its own, for tests that share one between several programs:
//   node test/fakes/eventStoreDb/server.mjs [port] [control port] [address, default 127.0.0.1]
// It prints one line, `eventstoredb ready <connection string> <control address>`, and lives until it is killed; its log is in memory.
// FAKE_EVENTSTOREDB: JSON of `{tls: {cert, key}, users}` for a server with TLS and users (see rights.mjs).
// Control port: GET /state; POST /faults {name: value} (see faults.mjs), /heal, /pass {seconds}, /drop, /members [{host, port, state, alive}], /scavenge,
// /watch, /hold and /witnessed (see witness.mjs).
import { createServer } from 'node:http';
import { FakeServer } from './fakeServer.mjs';
import { Faults } from './faults.mjs';

const [port, controlPort, address = '127.0.0.1'] = process.argv.slice(2);
const server = new FakeServer(JSON.parse(process.env.FAKE_EVENTSTOREDB ?? '{}'));
await server.listen(Number(port ?? 0), address);

const actions = {
  '/state': () => server.state(),
  '/faults': (given) => server.set(given),
  '/heal': () => server.set(new Faults()),
  '/pass': ({ seconds }) => {
    server.log.passed += seconds * 1000;
  },
  '/drop': () => server.dropAll(),
  '/scavenge': () => server.log.scavenge(),
  '/watch': () => server.witness.watch(),
  '/hold': async (given) => ({ by: await server.witness.holdNext(given) }),
  '/witnessed': () => server.witness.take(),
  '/members': (given) => {
    server.members = given;
  },
};

// A killed test run leaves no server behind.
process.on('disconnect', () => process.exit());

const control = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    const action = actions[request.url];
    if (!action) throw new Error(`nothing is at ${request.url}`);
    const answer = await action(body === '' ? {} : JSON.parse(body));
    response.end(JSON.stringify(answer ?? {}));
  } catch (error) {
    response.writeHead(400).end(String(error));
  }
});
control.listen(Number(controlPort ?? 0), '127.0.0.1', () => {
  console.log(`eventstoredb ready esdb://127.0.0.1:${server.port}?tls=false http://127.0.0.1:${control.address().port}`);
});
