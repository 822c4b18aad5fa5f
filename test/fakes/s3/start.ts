import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BucketVersioningStatus, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../freePort.ts';

const BUILD = fileURLToPath(new URL('./build.mjs', import.meta.url));

/** The first build takes minutes: pass it to the hook that calls `startS3`. */
export const S3_BUILD_TIMEOUT = 600_000;

/** Environment of a program that uses the server. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'tributary-test', AWS_SECRET_ACCESS_KEY: 'tributary-test-secret' } as const;

/** A versitygw of this machine, whose buckets are folders. */
export interface TestS3 {
  /** `TOPICS_URL` of a fresh bucket, or of this one. */
  topicsUrl(bucket?: string, prefix?: string): string;
  /** Makes a bucket that keeps versions of deleted objects. */
  versionedBucket(): Promise<string>;
  /** Paths of the files of a bucket's objects, below the bucket. */
  objects(url: string): string[];
  /** Path of an object's file. */
  path(url: string, key: string): string;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same objects. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

let built: Promise<string> | undefined;

const binary = (): Promise<string> => {
  built ??= promisify(execFile)(process.execPath, [BUILD], { timeout: S3_BUILD_TIMEOUT }).then(({ stdout }) => stdout.trim());
  return built;
};

/** Whether the server can be built here. Otherwise tests are skipped with a message, or fail in CI. */
export const s3IsHere = async (): Promise<boolean> => {
  const isHere = await binary().then(
    () => true,
    () => false,
  );
  if (isHere) return true;
  if (process.env.CI === 'true') throw new Error('CI needs Go');
  console.warn('skipped: needs an S3 server (built with Go)');
  return false;
};

export const startS3 = async (): Promise<TestS3> => {
  const program = await binary();
  const root = mkdtempSync(join(tmpdir(), 'tributary-s3-'));
  const [data, versions, sidecar] = ['data', 'versions', 'sidecar'].map((name) => join(root, name));
  for (const folder of [data, versions, sidecar]) mkdirSync(folder ?? '');
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const launch = () => launched(program, port, ['--versioning-dir', versions ?? '', '--sidecar', sidecar ?? '', data ?? '']);
  let child = await launch();
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const newBucket = (): string => {
    const bucket = `b-${randomUUID()}`;
    mkdirSync(join(data ?? '', bucket));
    return bucket;
  };
  const folderOf = (url: string): string => join(data ?? '', new URL(url).host);
  return {
    topicsUrl: (bucket = newBucket(), prefix = 'tributary') =>
      `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&pathStyle=true`,
    versionedBucket: async () => {
      const bucket = newBucket();
      const client = new S3Client({
        endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials: { accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID, secretAccessKey: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY },
      });
      const VersioningConfiguration = { Status: BucketVersioningStatus.Enabled };
      await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
      client.destroy();
      return bucket;
    },
    objects: (url) =>
      readdirSync(folderOf(url), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folderOf(url).length + 1)),
    path: (url, key) => join(folderOf(url), key),
    kill,
    restart: async () => {
      child = await launch();
    },
    stop: async () => {
      await kill();
      if (existsSync(root)) rmSync(root, { recursive: true, force: true });
    },
  };
};

/** Resolves when it answers. */
const launched = async (program: string, port: number, options: readonly string[]): Promise<ChildProcess> => {
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = S3_CREDENTIALS;
  const address = `127.0.0.1:${port}`;
  const child = spawn(
    program,
    ['--port', address, '--access', access, '--secret', secret, '--quiet', '--keep-alive', 'posix', ...options],
    {
      stdio: 'ignore',
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the S3 server of the tests ended: ${code}`)));
  ended.catch(() => undefined);
  const answers = async (): Promise<ArrayBuffer> => (await fetch(`http://${address}/`)).arrayBuffer();
  await Promise.race([ended, eventually(answers)]);
  return child;
};
