import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { withDatabase } from '../fakes/mongodb/databaseUrl.ts';

const optionsOf = (url: string) => {
  const { hosts, dbName, credentials, tls, replicaSet, maxPoolSize } = new MongoClient(url).options;
  return { hosts: hosts.map(String), dbName, source: credentials?.source, tls, replicaSet, maxPoolSize };
};

it.each([
  ['mongodb://localhost:27017/', { hosts: ['localhost:27017'], source: undefined, tls: undefined }],
  ['mongodb://localhost', { hosts: ['localhost:27017'], source: undefined }],
  [
    'mongodb://m1,m2:27018,m3/tributary?replicaSet=rs0&tls=true',
    { hosts: ['m1:27017', 'm2:27018', 'm3:27017'], replicaSet: 'rs0', tls: true },
  ],
  ['mongodb://user:p%40ss@m1,m2/tributary?replicaSet=rs0', { source: 'tributary', replicaSet: 'rs0' }],
  ['mongodb://user:p@m1?tls=true', { source: 'admin', tls: true }],
  ['mongodb://user:p@m1/tributary?authSource=users', { source: 'users' }],
])('names another database of %s, with the same hosts, options and users', (url, expected) => {
  const other = withDatabase(url, 'test-1', { maxPoolSize: '3' });
  expect(optionsOf(other)).toMatchObject({ dbName: 'test-1', maxPoolSize: 3, ...expected });
});
