// What programs do with ioredis, on RESP2 and RESP3: prints what happened, a
// line a case.
const Redis = require("ioredis");

const port = Number(process.argv[2]);
let protocol;
const open = [];
const connect = (options = {}) => {
  const c = new Redis({ host: "127.0.0.1", port, maxRetriesPerRequest: 0, protocol, ...options });
  c.on("error", () => {});
  open.push(c);
  return c;
};
const refused = (p) => p.then((v) => "no error but " + JSON.stringify(v), (e) => e.message);
// heard waits for a number of events.
const heard = (c, event, n) => new Promise((resolve) => {
  const seen = [];
  c.on(event, (...args) => seen.push(args.map(String)) === n && resolve([...seen]));
});
// blocked waits until a client of the server waits.
const blocked = async (kv) => {
  while (!/blocked_clients:1\r/.test(await kv.info("clients"))) await new Promise(setImmediate);
};

const cases = {
  async pubsub(kv) {
    const sub = connect();
    const messages = heard(sub, "message", 2), patterns = heard(sub, "pmessage", 1), shards = heard(sub, "smessage", 1);
    const counts = [await sub.subscribe("a", "b"), await sub.psubscribe("b*"), await sub.ssubscribe("s")];
    const refusal = await refused(sub.call("GET", "k"));
    const reached = [await kv.publish("a", "1"), await kv.publish("b", "2"), await kv.spublish("s", "3"), await kv.publish("c", "4")];
    const got = await Promise.all([messages, patterns, shards]);
    const left = [await sub.unsubscribe("a", "b"), await sub.punsubscribe("b*"), await sub.sunsubscribe("s")];
    return { counts, refusal, reached, got, left, after: await sub.get("k") };
  },
  async buffers(kv) {
    const bytes = Buffer.from([0, 13, 10, 255, 36]);
    await kv.set(bytes, bytes);
    return { same: (await kv.getBuffer(bytes)).equals(bytes), length: await kv.strlen(bytes) };
  },
  async pipeline(kv) {
    const p = kv.pipeline();
    for (let i = 0; i < 1000; i++) p.set("k", i).lpush("k", "x").get("k");
    const replies = await p.exec();
    return { n: replies.length, errors: [...new Set(replies.filter(([e]) => e).map(([e]) => e.message))],
      failed: replies.filter(([e]) => e).length, last: replies[2999] };
  },
  async transaction(kv) {
    const spoiled = await refused(kv.multi().set("k", 1).call("INCR").exec());
    const done = (await kv.multi().set("k", 1).lpush("k", "x").incr("k").exec()).map(([e, v]) => (e ? e.message : v));
    const one = connect();
    await one.watch("k");
    await kv.set("k", 5);
    const lost = await one.multi().incr("k").exec();
    await one.watch("k");
    return { spoiled, done, lost, won: await one.multi().incr("k").exec() };
  },
  async scripts(kv) {
    kv.defineCommand("both", { numberOfKeys: 2, lua: "return {KEYS[1], KEYS[2], ARGV[1], redis.call('INCR', KEYS[1])}" });
    const runs = [await kv.both("n", "m", "x")];
    await kv.script("FLUSH");
    runs.push(await kv.both("n", "m", "x"));
    const piped = (await kv.pipeline().both("n", "m", "y").both("n", "m", "z").exec()).map(([, v]) => v);
    return { runs, piped, error: await refused(kv.eval("return redis.call('LPUSH', KEYS[1], 1)", 1, "n")) };
  },
  async blocking(kv) {
    const waiter = connect();
    const popped = waiter.blpop("a", "b", 0);
    await blocked(kv);
    await kv.rpush("b", "x", "y");
    const first = await popped;
    const moved = waiter.blmove("none", "to", "LEFT", "RIGHT", 0);
    await blocked(kv);
    await kv.rpush("none", "z");
    return { first, moved: await moved, vain: await waiter.blpop("none", 0.01), bzpopmin: await waiter.bzpopmin("none", 0.01) };
  },
  async streams(kv) {
    for (let i = 1; i <= 3; i++) await kv.xadd("s", i + "-1", "n", i);
    await kv.xgroup("CREATE", "s", "g", "0");
    const first = await kv.xreadgroup("GROUP", "g", "c1", "COUNT", 2, "STREAMS", "s", ">");
    const acked = await kv.xack("s", "g", "1-1");
    const claimed = await kv.xautoclaim("s", "g", "c2", 0, "0");
    const pending = await kv.xpending("s", "g");
    const waiter = connect();
    const next = waiter.xread("BLOCK", 0, "STREAMS", "s", "$");
    await blocked(kv);
    await kv.xadd("s", "9-1", "n", 9);
    return { first, acked, claimed, pending, next: await next, again: await refused(kv.xgroup("CREATE", "s", "g", "0")) };
  },
  async scan(kv) {
    await kv.mset(Object.fromEntries(Array.from({ length: 300 }, (_, i) => ["key:" + i, i])));
    const seen = new Set();
    for await (const keys of kv.scanStream({ match: "key:*", count: 7 })) keys.forEach((k) => seen.add(k));
    await kv.hset("h", { a: 1, b: 2 });
    return { seen: seen.size, hash: await kv.hgetall("h"), pairs: await kv.hscan("h", 0) };
  },
  async acl(kv) {
    await kv.acl("SETUSER", "worker", "on", ">secret", "~job:*", "+@connection", "+get", "+info");
    const worker = connect({ username: "worker", password: "secret" });
    const result = { get: await worker.get("job:1"), key: await refused(worker.get("k")), command: await refused(worker.set("job:1", 1)) };
    return { ...result, wrong: await refused(kv.auth("worker", "wrong")), gone: await kv.acl("DELUSER", "worker") };
  },
  async options(kv) {
    const named = connect({ connectionName: "worker", db: 3 });
    await named.set("k", "in 3");
    return { name: await named.client("GETNAME"), here: await kv.get("k"), there: await named.get("k"), swapped: await kv.swapdb(0, 3), now: await kv.get("k") };
  },
};

(async () => {
  for (protocol of [2, 3]) {
    for (const [name, run] of Object.entries(cases)) {
      const kv = connect();
      await kv.flushall();
      console.log(`RESP${protocol} ${name} ${JSON.stringify(await run(kv))}`);
    }
  }
  open.forEach((c) => c.disconnect());
})().catch((e) => { console.log("failed", e); process.exit(1); });
