// Polls /health/live in its own process: its wait is the wait of every client of the server.
import { Agent, get } from 'node:http';

const PAUSE_MILLISECONDS = 5;
const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let waits = [];
let failures = 0;
let asking = Promise.resolve();

const ask = () =>
  new Promise((resolve) => {
    const began = performance.now();
    const request = get(`${url}/health/live`, { agent }, (answer) => {
      answer.resume().on('end', () => {
        waits.push(performance.now() - began);
        if (answer.statusCode !== 200) failures += 1;
        resolve();
      });
    });
    request.on('error', () => {
      failures += 1;
      resolve();
    });
  });

process.on('message', async () => {
  // The measured work may have delayed the running request.
  await asking;
  const sorted = waits.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  process.send({ asked: sorted.length, failures, p99: at(0.99), max: at(1) });
  waits = [];
  failures = 0;
});
process.on('disconnect', () => process.exit(0));

for (;;) {
  asking = ask();
  await asking;
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
}
