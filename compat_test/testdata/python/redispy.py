# What programs do with redis-py: prints what happened, a line a case.
import json
import sys
import threading
import time

import redis

PORT = int(sys.argv[1])


def connect(**options):
    return redis.Redis("127.0.0.1", PORT, decode_responses=True, **options)


def refused(call):
    try:
        return "no error but %r" % (call(),)
    except redis.RedisError as e:
        return "%s: %s" % (type(e).__name__, e)


class Waiter(threading.Thread):
    """A call that waits, on a thread of its own; begun when the server says so."""

    def __init__(self, kv, call):
        super().__init__()
        self.call = call
        self.start()
        while kv.info("clients")["blocked_clients"] != 1:
            time.sleep(0.001)

    def run(self):
        self.answer = self.call()

    def result(self):
        self.join(20)
        return self.answer


def pubsub(kv):
    sub = kv.pubsub()
    sub.subscribe("a", "b")
    sub.psubscribe("b*")
    got = [sub.get_message(timeout=20) for _ in range(3)]
    reached = [kv.publish("a", "1"), kv.publish("b", "2"), kv.publish("c", "3")]
    got += [sub.get_message(timeout=20) for _ in range(3)]
    sub.ping("here")
    got.append(sub.get_message(timeout=20))
    counts = [kv.pubsub_numsub("a", "c"), kv.pubsub_numpat(), sorted(kv.pubsub_channels())]
    sub.unsubscribe("a")
    got.append(sub.get_message(timeout=20))
    return reached, got, counts


def tracking(kv):
    sub = kv.pubsub()
    sub.execute_command("CLIENT", "ID")
    sub_id = sub.parse_response()
    sub.subscribe("__redis__:invalidate")
    seen = [sub.get_message(timeout=20)["type"]]
    with redis.Redis(connection_pool=kv.connection_pool, single_connection_client=True) as reader:
        reader.execute_command("CLIENT", "TRACKING", "ON", "REDIRECT", sub_id)
        kv.set("k", "a")
        seen.append(reader.get("k"))
        kv.set("k", "b")
        seen.append(sub.get_message(timeout=20)["data"])
        reader.execute_command("CLIENT", "TRACKING", "OFF")
    return seen


def pipeline(kv):
    p = kv.pipeline(transaction=False)
    for i in range(1000):
        p.set("k", i).lpush("k", "x").get("k")
    replies = p.execute(raise_on_error=False)
    return len(replies), sorted({str(r) for r in replies if isinstance(r, Exception)}), replies[-1]


def transaction(kv):
    p = kv.pipeline()
    done = p.set("k", "1").incr("k").get("k").execute()
    failed = refused(p.set("k", "a").incr("k").execute)
    spoiled = refused(p.set("k", "b").execute_command("INCR").execute)
    p.watch("k")
    kv.set("k", "5")
    p.multi()
    lost = refused(p.incr("k").execute)
    won = kv.transaction(lambda t: (t.multi(), t.incr("k")), "k")
    return done, failed, spoiled, lost, won


def scripts(kv):
    add = kv.register_script("return {KEYS[1], redis.call('INCRBY', KEYS[1], ARGV[1]), 3.9, false, {ok = 'FINE'}}")
    runs = [add(["n"], [2])]
    kv.script_flush()
    runs.append(add(["n"], [3]))
    p = kv.pipeline()
    add(["n"], [4], client=p)
    runs += p.execute()
    return runs, kv.script_exists(add.sha, "0" * 40), refused(lambda: kv.eval("return redis.call('LPUSH', 'n', 1)", 0)), refused(
        lambda: kv.evalsha("0" * 40, 0))


def functions(kv):
    name = kv.function_load("#!lua name=lib\nredis.register_function('double', function(keys, args) return 2 * args[1] end)", replace=True)
    return name, kv.fcall("double", 0, 21), kv.function_list(), kv.function_delete("lib"), refused(lambda: kv.fcall("double", 0, 21))


def blocking(kv):
    popped = Waiter(kv, lambda: kv.blpop(["a", "b"], 0))
    kv.rpush("b", "x", "y")
    first = popped.result()
    moved = Waiter(kv, lambda: kv.blmove("none", "to", 0))
    kv.rpush("none", "z")
    return first, moved.result(), kv.blpop("none", 0.01), kv.bzpopmin("none", 0.01), kv.blmpop(0, 2, "none", "b", direction="LEFT", count=5)


def streams(kv):
    for i in 1, 2, 3:
        kv.xadd("s", {"n": i}, id="%d-1" % i)
    kv.xgroup_create("s", "g", "0")
    first = kv.xreadgroup("g", "c1", {"s": ">"}, count=2)
    acked = kv.xack("s", "g", "1-1")
    claimed = kv.xautoclaim("s", "g", "c2", 0)
    waiter = Waiter(kv, lambda: kv.xread({"s": "$"}, block=0))
    kv.xadd("s", {"n": 9}, id="9-1")
    full = kv.xinfo_stream("s", full=True)
    return (first, acked, claimed, kv.xpending("s", "g"), kv.xinfo_groups("s"), waiter.result(), full["entries"], kv.xtrim("s", maxlen=1),
            refused(lambda: kv.xgroup_create("s", "g", "0")), refused(lambda: kv.xreadgroup("none", "c", {"s": ">"})))


def values(kv):
    kv.hset("h", mapping={"a": 1, "b": 2})
    kv.zadd("z", {"a": 1.5, "b": float("-inf")})
    kv.geoadd("g", (13.361389, 38.115556, "p"))
    kv.mset({"x": "ohmytext", "y": "mynewtext"})
    return (kv.hgetall("h"), len(kv.hrandfield("h", 2, withvalues=True)), str(kv.zrange("z", 0, -1, withscores=True)), str(kv.zpopmax("z", 5)),
            kv.geosearch("g", member="p", radius=1, unit="m", withcoord=True, withdist=True, withhash=True), kv.lcs("x", "y", idx=True, withmatchlen=True),
            kv.set("x", "new", get=True), kv.config_get("databases"), kv.object("encoding", "h"), kv.bitfield("f").incrby("u2", 0, 5).execute(),
            kv.sort("g", alpha=True), kv.command_getkeys("SET", "a", "b"), kv.ttl("none"), kv.type("z"), sorted(kv.scan_iter("*")))


def acl(kv):
    kv.acl_setuser("worker", enabled=True, passwords=["+secret"], keys=["job:*"], commands=["+@connection", "+get"], channels=["news"])
    worker = connect(username="worker", password="secret")
    found = kv.acl_getuser("worker")
    return (worker.get("job:1"), refused(lambda: worker.get("k")), refused(lambda: worker.set("job:1", 1)),
            refused(connect(username="worker", password="wrong").ping), found["keys"], found["channels"], kv.acl_deluser("worker"))


def options(kv):
    named = connect(client_name="worker", db=3)
    named.set("k", "in 3")
    return (named.client_getname(), kv.get("k"), named.get("k"), named.client_info()["db"], kv.swapdb(0, 3), kv.get("k"),
            refused(connect(db=16).ping))


def locks(kv):
    first, second = kv.lock("lock", timeout=20), kv.lock("lock", timeout=20, blocking=False)
    return first.acquire(), second.acquire(), first.extend(10), first.owned(), first.release(), second.acquire(), refused(first.release)


for case in pubsub, tracking, pipeline, transaction, scripts, functions, blocking, streams, values, acl, options, locks:
    kv = connect()
    kv.flushall()
    print(case.__name__, json.dumps(case(kv), default=list), flush=True)
