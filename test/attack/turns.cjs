// Loaded into the server under attack. It writes down long turns of its event loop, and what its memory was used for when it was largest. It tells apart what the
// loop itself worked on from what other processes of this machine took of the processor: both delay an answer, but only the first is the server's.
const { appendFileSync, openSync, readSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { isMainThread } = require('node:worker_threads');

const { ATTACK_TURNS: file, ATTACK_PROFILE: profile } = process.env;
const TICK_MILLISECONDS = 5;
const LONG_MILLISECONDS = 25;
const MEMORY_TICKS = 20;
const buffer = Buffer.alloc(128);

/** Milliseconds that the main thread has run, and that it has waited for a processor. */
const times = (descriptor) => {
  const [ran, waited] = buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0)).split(' ');
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
};

const write = (record) => {
  const line = `${JSON.stringify(record)}\n`;
  appendFileSync(file, line);
  if (profile) appendFileSync(`${profile}-${process.pid}.turns`, line);
};

const watch = () => {
  const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  let at = performance.now();
  let before = times(descriptor);
  let ticks = 0;
  const tick = () => {
    const now = performance.now();
    const after = times(descriptor);
    const took = now - at - TICK_MILLISECONDS;
    if (took > LONG_MILLISECONDS)
      write({
        turn: took,
        ran: after.ran - before.ran,
        waited: after.waited - before.waited,
        until: Number(process.hrtime.bigint() / 1000n),
      });
    ticks += 1;
    if (ticks % MEMORY_TICKS === 0) write({ memory: process.memoryUsage() });
    at = performance.now();
    before = times(descriptor);
    setTimeout(tick, TICK_MILLISECONDS).unref();
  };
  tick();
};

/** Writes a CPU profile of the whole run when the server is stopped: the turns say when to look. Beside it, what was live when memory was largest, by the place that allocated it. */
const record = () => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 1_000 });
  session.post('Profiler.start');
  session.post('HeapProfiler.startSampling', { samplingInterval: 65_536 });
  let largest = 0;
  let live = null;
  setInterval(() => {
    const { heapUsed } = process.memoryUsage();
    if (heapUsed < largest * 1.1) return;
    largest = heapUsed;
    session.post('HeapProfiler.getSamplingProfile', (_, result) => {
      live = result?.profile ?? live;
    });
  }, 500).unref();
  process.on('exit', () => {
    if (live) writeFileSync(`${profile}-${process.pid}.heapprofile`, JSON.stringify(live));
    session.post('Profiler.stop', (_, result) => writeFileSync(`${profile}-${process.pid}.cpuprofile`, JSON.stringify(result.profile)));
  });
};

// Node's options are inherited by threads and child processes.
if (file && isMainThread && /tributary\.js$/.test(process.argv[1] ?? '') && process.platform === 'linux') {
  if (profile) record();
  watch();
}
