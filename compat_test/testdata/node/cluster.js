// What programs do with ioredis's Cluster, while a slot moves from one of two nodes
// to the other: prints what happened, a line a case.
const Redis = require("ioredis");

const nodes = process.argv.slice(2).map((addr) => ({ host: "127.0.0.1", port: Number(addr.split(":").pop()) }));
const [first, second] = nodes.map((n) => new Redis(n));
const cluster = new Redis.Cluster([nodes[0]], { redisOptions: { maxRetriesPerRequest: 3 } });
const show = (name, value) => console.log(name + " " + JSON.stringify(value));
const refused = (p) => p.then((v) => "no error but " + JSON.stringify(v), (e) => e.message);
const keys = Array.from({ length: 20 }, (_, i) => "{b}" + i);
const slot = 3300;
const incrementAll = () => Promise.all(keys.map((key) => cluster.incr(key)));

(async () => {
  show("spread", (await Promise.all(Array.from({ length: 100 }, (_, i) => cluster.set("key:" + i, i)))).every((r) => r === "OK"));
  show("on both", (await Promise.all([first, second].map((n) => n.dbsize()))).map((n) => n > 20));
  show("at first", [...new Set(await incrementAll())]);
  const from = await first.cluster("MYID"), to = await second.cluster("MYID");
  await second.cluster("SETSLOT", slot, "IMPORTING", from);
  await first.cluster("SETSLOT", slot, "MIGRATING", to);
  for (let left; (left = await first.cluster("GETKEYSINSLOT", slot, 7)).length > 0; ) {
    await first.call("MIGRATE", "127.0.0.1", nodes[1].port, "", 0, 5000, "KEYS", ...left);
    show("while it moves", [...new Set(await incrementAll())]);
  }
  await second.cluster("SETSLOT", slot, "NODE", to);
  await first.cluster("SETSLOT", slot, "NODE", to);
  show("at the end", [...new Set(await incrementAll())]);
  show("there", await second.cluster("COUNTKEYSINSLOT", slot));
  show("pipeline", await cluster.pipeline().get("{b}1").set("{b}x", "y").get("{b}x").exec());
  show("transaction", await cluster.multi({ pipeline: true }).incr("{b}1").incr("{b}2").exec());
  show("across", await refused(cluster.mget("a", "b")));
  cluster.defineCommand("both", { numberOfKeys: 2, lua: "return {KEYS[1], redis.call('INCR', KEYS[2])}" });
  show("script", [await cluster.both("{b}1", "{b}2"), await refused(cluster.both("a", "b"))]);
  const sub = new Redis.Cluster([nodes[1]]);
  const heard = new Promise((resolve) => sub.on("message", (...message) => resolve(message)));
  await sub.subscribe("news");
  await first.publish("news", "from the first");
  show("pubsub", await heard);
  for (const c of [first, second, cluster, sub]) c.disconnect();
})().catch((e) => { console.log("failed", e); process.exit(1); });
