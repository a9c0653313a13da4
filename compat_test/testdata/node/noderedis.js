// What programs do with node-redis, on RESP2 and RESP3: prints what happened,
// a line a case.
const { createClient, createClientPool, defineScript, RESP_TYPES } = require("redis");

const port = Number(process.argv[2]);
const open = [];
const connect = async (options = {}) => {
  const c = createClient({ socket: { host: "127.0.0.1", port, reconnectStrategy: false }, ...options });
  c.on("error", () => {});
  open.push(c);
  return c.connect();
};
const refused = (p) => p.then((v) => "no error but " + JSON.stringify(v), (e) => e.message || e.constructor.name);
const blocked = async (kv) => {
  while (!/blocked_clients:1\r/.test(await kv.info("clients"))) await new Promise(setImmediate);
};

const cases = {
  async pubsub(kv) {
    const sub = await connect(kv.options.RESP === 3 ? { RESP: 3 } : {});
    const got = [];
    let full;
    const all = new Promise((resolve) => (full = resolve));
    const hear = (kind) => (message, channel) => got.push([kind, channel, message]) === 4 && full();
    await sub.subscribe("a", hear("channel"));
    await sub.pSubscribe("a*", hear("pattern"));
    await sub.sSubscribe("s", hear("shard"));
    const reached = [await kv.publish("a", "1"), await kv.publish("ab", "2"), await kv.sPublish("s", "3")];
    await all;
    await sub.unsubscribe("a");
    await sub.pUnsubscribe();
    await sub.sUnsubscribe("s");
    return { reached, got, after: await kv.publish("a", "4"), channels: await kv.pubSubChannels(), ping: await sub.ping() };
  },
  async pipeline(kv) {
    const replies = await Promise.allSettled(Array.from({ length: 999 }, (_, i) =>
      [() => kv.set("k", String(i)), () => kv.lPush("k", "x"), () => kv.get("k")][i % 3]()));
    const failures = replies.filter((r) => r.status === "rejected").map((r) => r.reason.message);
    return { failed: failures.length, errors: [...new Set(failures)], last: replies.at(-1).value };
  },
  async transaction(kv) {
    const done = await refused(kv.multi().set("k", "1").incr("k").get("k").exec());
    const failed = await kv.multi().set("k", "a").incr("k").get("k").exec().catch((e) => e.replies.map((r) => (r instanceof Error ? r.message : r)));
    const spoiled = await refused(kv.multi().addCommand(["INCR"]).exec());
    const one = await connect();
    await one.watch("k");
    await kv.set("k", "5");
    const lost = await one.multi().incr("k").exec().then(JSON.stringify, (e) => e.constructor.name);
    await one.watch("k");
    return { done, failed, spoiled, lost, won: await one.multi().incr("k").exec() };
  },
  async scripts(kv) {
    const c = await connect({ scripts: { add: defineScript({
      SCRIPT: "return redis.call('INCRBY', KEYS[1], ARGV[1])", NUMBER_OF_KEYS: 1,
      parseCommand(parser, key, n) { parser.pushKey(key); parser.push(String(n)); }, transformReply: (r) => r,
    }) } });
    const runs = [await c.add("n", 2), await c.add("n", 3)];
    await kv.scriptFlush();
    runs.push(await c.add("n", 4));
    await kv.functionLoad("#!lua name=lib\nredis.register_function('double', function(keys, args) return 2 * args[1] end)", { REPLACE: true });
    return { runs, fcall: await kv.fCall("double", { keys: [], arguments: ["21"] }), list: await kv.functionList() };
  },
  async values(kv) {
    await kv.hSet("h", { a: "1", b: "2" });
    await kv.zAdd("z", [{ value: "a", score: 1.5 }, { value: "b", score: -Infinity }]);
    await kv.sAdd("s", ["1", "2"]);
    await kv.geoAdd("g", [{ longitude: 13.361389, latitude: 38.115556, member: "p" }]);
    await kv.mSet({ x: "ohmytext", y: "mynewtext" });
    return {
      hash: await kv.hGetAll("h"), none: await kv.hGetAll("none"), random: (await kv.hRandFieldCountWithValues("h", 2)).length,
      scores: await kv.zRangeWithScores("z", 0, -1), score: await kv.zScore("z", "b"), popped: await kv.zPopMaxCount("z", 5),
      members: await kv.sMembers("s"), is: await kv.smIsMember("s", ["1", "9"]), positions: await kv.geoPos("g", ["p", "none"]),
      lcs: await kv.lcsIdxWithMatchLen("x", "y"), type: await kv.type("h"), config: await kv.configGet("databases"),
      docs: (await kv.commandInfo(["get"]))[0].name, memory: typeof (await kv.memoryStats())["keys.count"],
    };
  },
  async streams(kv) {
    for (const i of [1, 2, 3]) await kv.xAdd("s", i + "-1", { n: String(i) });
    await kv.xGroupCreate("s", "g", "0");
    const first = await kv.xReadGroup("g", "c1", { key: "s", id: ">" }, { COUNT: 2 });
    const acked = await kv.xAck("s", "g", "1-1");
    const claimed = await kv.xAutoClaim("s", "g", "c2", 0, "0");
    const pending = await kv.xPending("s", "g");
    const groups = await kv.xInfoGroups("s");
    const waiter = await connect();
    const next = waiter.xRead({ key: "s", id: "$" }, { BLOCK: 0 });
    await blocked(kv);
    await kv.xAdd("s", "9-1", { n: "9" });
    return { first, acked, claimed, pending, groups, next: await next, busy: await refused(kv.xGroupCreate("s", "g", "0")) };
  },
  async blocking(kv) {
    const waiter = await connect();
    const popped = waiter.blPop(["a", "b"], 0);
    await blocked(kv);
    await kv.rPush("b", ["x", "y"]);
    return { popped: await popped, vain: await waiter.blPop("none", 0.01), many: await kv.lmPop(["a", "b"], "RIGHT", { COUNT: 5 }) };
  },
  async scan(kv) {
    await kv.mSet(Object.fromEntries(Array.from({ length: 300 }, (_, i) => ["key:" + i, String(i)])));
    const seen = new Set();
    for await (const keys of kv.scanIterator({ MATCH: "key:*", COUNT: 7 })) keys.forEach((k) => seen.add(k));
    return seen.size;
  },
  async acl(kv) {
    await kv.aclSetUser("worker", ["on", ">secret", "~job:*", "&news", "+@connection", "+get", "+publish"]);
    const worker = await connect({ username: "worker", password: "secret" });
    const result = { get: await worker.get("job:1"), key: await refused(worker.get("k")), command: await refused(worker.set("job:1", "1")),
      channel: await refused(worker.publish("other", "m")), user: { ...await kv.aclGetUser("worker"), commands: "in any order" } };
    return { ...result, wrong: await refused(connect({ username: "worker", password: "wrong" })), gone: await kv.aclDelUser("worker") };
  },
  async tracking(kv) {
    if (kv.options.RESP !== 3) return "needs RESP3";
    const cached = await connect({ RESP: 3, clientSideCache: { ttl: 0, maxEntries: 100 } });
    await kv.set("k", "a");
    const reads = [await cached.get("k")];
    const calls = async () => /cmdstat_get:calls=(\d+)/.exec(await kv.info("commandstats"))[1];
    const before = await calls();
    reads.push(await cached.get("k"));
    const asked = (await calls()) - before;
    await kv.set("k", "b");
    while ((await cached.get("k")) !== "b") await new Promise(setImmediate);
    return { reads, asked, info: (await cached.clientTrackingInfo()).flags };
  },
};

(async () => {
  for (const RESP of [2, 3]) {
    for (const [name, run] of Object.entries(cases)) {
      const kv = await connect({ RESP });
      await kv.flushAll();
      await kv.functionFlush();
      console.log(`RESP${RESP} ${name} ${JSON.stringify(await run(kv))}`);
    }
  }
  open.forEach((c) => c.isOpen && c.destroy());
})().catch((e) => { console.log("failed", e); process.exit(1); });
