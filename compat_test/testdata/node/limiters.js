// The rate limiters of rate-limiter-flexible on ioredis, which are Lua scripts:
// prints what happened, a line a case.
const Redis = require("ioredis");
const { RateLimiterRedis, BurstyRateLimiter, RLWrapperBlackAndWhite } = require("rate-limiter-flexible");

const storeClient = new Redis({ host: "127.0.0.1", port: Number(process.argv[2]) });
const show = (name, value) => console.log(name + " " + JSON.stringify(value));
const tell = (r) => (r instanceof Error ? r.message : [r.consumedPoints, r.remainingPoints, r.isFirstInDuration]);
const take = (limiter, key, points = 1) => limiter.consume(key, points).then(tell, (r) => ["refused", tell(r)]);

(async () => {
  const plain = new RateLimiterRedis({ storeClient, keyPrefix: "plain", points: 3, duration: 60 });
  const taken = [];
  for (let i = 0; i < 5; i++) taken.push(await take(plain, "u"));
  show("consume", taken);
  show("get", tell(await plain.get("u")));
  show("penalty", tell(await plain.penalty("u", 2)));
  show("reward", tell(await plain.reward("u", 4)));
  show("delete", [await plain.delete("u"), await plain.get("u")]);
  show("set", [tell(await plain.set("u", 2, 60)), await take(plain, "u"), await take(plain, "u")]);

  const blocking = new RateLimiterRedis({ storeClient, keyPrefix: "block", points: 1, duration: 60, blockDuration: 100 });
  show("block", [await take(blocking, "u"), await take(blocking, "u"), await take(blocking, "u")]);
  const ttl = await storeClient.ttl("block:u");
  show("blocked for", ttl > 90 && ttl <= 100);

  const short = new RateLimiterRedis({ storeClient, keyPrefix: "short", points: 1, duration: 1 });
  const first = [await take(short, "u"), await take(short, "u")];
  await new Promise((resolve) => setTimeout(resolve, 1100));
  show("expire", [...first, await take(short, "u")]);

  const bursty = new BurstyRateLimiter(
    new RateLimiterRedis({ storeClient, keyPrefix: "steady", points: 1, duration: 60 }),
    new RateLimiterRedis({ storeClient, keyPrefix: "burst", points: 2, duration: 60 }));
  const bursts = [];
  for (let i = 0; i < 4; i++) bursts.push(await bursty.consume("u").then(() => "ok", () => "refused"));
  show("bursts", bursts);

  const together = await Promise.all(Array.from({ length: 20 }, () => take(new RateLimiterRedis({ storeClient, keyPrefix: "many", points: 7, duration: 60 }), "u")));
  show("twenty at once", together.filter((r) => r[0] !== "refused").length);
  await storeClient.quit();
})().catch((err) => {
  console.error(err);
  process.exit(1);
});
