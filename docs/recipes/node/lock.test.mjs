// ioredis and node-redis with node:test: minikv exec -- npm test
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';

import Redis from 'ioredis';
import { createClient } from 'redis';

const kv = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: 0, retryStrategy: () => 10 });
const other = createClient({ url: process.env.REDIS_URL });
await other.connect();

after(async () => {
  kv.disconnect();
  await other.close();
});

beforeEach(async () => {
  await kv.flushall();
  await kv.call('MINIKV.FAULT', 'RESET');
  await kv.call('MINIKV.CLOCK', 'FREEZE');
});

test('a lock expires', async () => {
  assert.equal(await kv.set('lock', 'me', 'EX', 30, 'NX'), 'OK');
  assert.equal(await kv.set('lock', 'you', 'EX', 30, 'NX'), null);
  await kv.call('MINIKV.CLOCK', 'ADVANCE', 30_000); // takes no time
  assert.equal(await kv.set('lock', 'you', 'EX', 30, 'NX'), 'OK');
});

test('a reply is lost', async () => {
  await other.sendCommand(['MINIKV.FAULT', 'ADD', 'COMMAND', 'set', 'NTH', '1', 'CLOSE', 'AFTER']);
  await assert.rejects(kv.set('lock', 'me', 'NX'));
  assert.equal(await other.get('lock'), 'me');
});
