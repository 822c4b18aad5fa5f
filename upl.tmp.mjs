import { Pool } from 'undici';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
const [url, key, pid, rounds = 5, per = 960] = process.argv.slice(2);
const pool = new Pool(url, { connections: 32 });
const BODY = randomBytes(65536);
const cpu = () => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
const tid = () => { const f = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1].split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
for (let r = 0; r < rounds; r++) {
  const c0 = cpu(), m0 = tid(), t0 = performance.now();
  await Promise.all(Array.from({ length: 32 }, async () => { for (let i = 0; i < per / 32; i++) { const { statusCode, body } = await pool.request({ method: 'POST', path: '/http-gateway/api/v1/upload?streamConfigurationTemplateId=65f46430c6d8985974ff9c9d', headers: { authorization: `Basic ${key}`, 'content-type': 'application/octet-stream' }, body: BODY }); if (statusCode !== 200) throw new Error(await body.text()); await body.dump(); } }));
  const t = performance.now() - t0;
  await new Promise((f) => setTimeout(f, 3000));
  console.log(`round ${r}: ${(per / t * 1000).toFixed(0)}/s, ${((cpu() - c0) / per).toFixed(2)} ms cpu, main ${((tid() - m0) / per).toFixed(2)}`);
}
process.exit(0);
