// The queue semantics of BullMQ, whose every step is a Lua script: prints what
// happened, a line a case.
const { Queue, Worker, QueueEvents, FlowProducer, UnrecoverableError } = require("bullmq");

const connection = { host: "127.0.0.1", port: Number(process.argv[2]), maxRetriesPerRequest: null };
const show = (name, value) => console.log(name + " " + JSON.stringify(value));
const open = [];
const keep = (thing) => (open.push(thing), thing);
const queue = (name) => keep(new Queue(name, { connection }));
const worker = (name, fn, opts = {}) => keep(new Worker(name, fn, { connection, ...opts }));

// finished waits for a number of events of a worker; it is asked before what
// causes them, which may be done before a later line runs.
function finished(w, event, n) {
  const seen = [];
  return new Promise((resolve) => w.on(event, (job) => {
    seen.push(job.name);
    if (seen.length === n) resolve(seen);
  }));
}

const cases = {
  async fifo() {
    const q = queue("fifo");
    for (const name of ["a", "b", "c", "d"]) await q.add(name, { of: name });
    const before = await q.getJobCounts("wait", "active", "completed");
    const w = worker("fifo", async (job) => job.data.of + "!");
    const order = await finished(w, "completed", 4);
    const done = await q.getJobs(["completed"], 0, -1, true);
    return { before, order, values: done.map((j) => j.returnvalue), after: await q.getJobCounts("wait", "active", "completed") };
  },
  async lifo() {
    const q = queue("lifo");
    await q.pause();
    for (const name of ["a", "b", "c"]) await q.add(name, {}, { lifo: true });
    const w = worker("lifo", async () => {});
    const order = finished(w, "completed", 3);
    await q.resume();
    return order;
  },
  async priority() {
    const q = queue("priority");
    await q.add("low", {}, { priority: 10 });
    await q.add("high", {}, { priority: 1 });
    const changed = await q.add("changed", {}, { priority: 20 });
    await changed.changePriority({ priority: 5 });
    await q.add("first", {});
    const counts = await q.getCountsPerPriority([0, 1, 5, 10]);
    return { counts, order: await finished(worker("priority", async () => {}), "completed", 4) };
  },
  async retry() {
    const q = queue("retry");
    await q.add("third time", {}, { attempts: 5, backoff: { type: "fixed", delay: 5 } });
    await q.add("never", {}, { attempts: 2 });
    await q.add("hopeless", {}, { attempts: 9 });
    const w = worker("retry", async (job) => {
      if (job.name === "hopeless") throw new UnrecoverableError("no use");
      if (job.name === "never" || job.attemptsMade < 2) throw new Error("attempt " + job.attemptsMade);
      return "ok";
    });
    const dead = new Set();
    await Promise.all([finished(w, "completed", 1), new Promise((resolve) => w.on("failed", (job) => {
      if (job.finishedOn) dead.add(job.name);
      if (dead.size === 2) resolve();
    }))]);
    const jobs = await q.getJobs(["completed", "failed"]);
    const rows = jobs.map((j) => [j.name, j.attemptsMade, j.failedReason ?? "", j.returnvalue]).sort();
    const never = jobs.find((j) => j.name === "never");
    await w.pause();
    await never.retry();
    return { rows, again: await never.getState() };
  },
  async delayed() {
    const q = queue("delayed");
    const w = worker("delayed", async () => {});
    const jobs = {};
    for (const name of ["far", "farther", "farthest"]) jobs[name] = await q.add(name, {}, { delay: 1e8 });
    const first = finished(w, "completed", 1);
    await jobs.farther.changeDelay(20);
    const order = [...(await first)];
    const second = finished(w, "completed", 1);
    await jobs.far.promote();
    order.push(...await second);
    return { order, left: await jobs.farthest.getState() };
  },
  async flow() {
    const flows = keep(new FlowProducer({ connection }));
    const children = [1, 2, 3].map((n) => ({ name: "child", queueName: "children", data: { n } }));
    const tree = await flows.add({ name: "parent", queueName: "parents", children });
    const waiting = await tree.job.getState();
    worker("children", async (job) => job.data.n * 10);
    const w = worker("parents", async (job) => Object.values(await job.getChildrenValues()).reduce((a, b) => a + b, 0));
    await finished(w, "completed", 1);
    const parent = await keep(new Queue("parents", { connection })).getJob(tree.job.id);
    return { waiting, sum: parent.returnvalue };
  },
  async events() {
    const q = queue("events");
    const ev = keep(new QueueEvents("events", { connection }));
    await ev.waitUntilReady();
    worker("events", async (job) => { await job.updateProgress(50); await job.log("half"); return 7; });
    const progress = new Promise((resolve) => ev.on("progress", ({ data }) => resolve(data)));
    const job = await q.add("work", {});
    return { result: await job.waitUntilFinished(ev, 10000), progress: await progress, logs: (await q.getJobLogs(job.id)).logs };
  },
  async unique() {
    const q = queue("unique");
    const a = await q.add("a", {}, { jobId: "same" });
    const b = await q.add("b", {}, { jobId: "same" });
    await q.add("c", {}, { deduplication: { id: "d" } });
    await q.add("e", {}, { deduplication: { id: "d" } });
    const counts = await q.getJobCounts("wait");
    await q.remove("same");
    const rest = (await q.getJobs(["wait"])).map((j) => j.name);
    await q.drain();
    return { same: a.id === b.id, counts, rest, drained: await q.count() };
  },
  async scheduler() {
    const q = queue("scheduler");
    await q.upsertJobScheduler("tick", { every: 30, limit: 3 }, { name: "tick", data: { n: 1 } });
    const names = await finished(worker("scheduler", async () => {}), "completed", 3);
    return { names, list: (await q.getJobSchedulers()).map((s) => s.key) };
  },
  async limiter() {
    const q = queue("limiter");
    for (let i = 0; i < 6; i++) await q.add("job" + i, {});
    const at = [];
    const begun = Date.now();
    const w = worker("limiter", async () => { at.push(Date.now()); }, { limiter: { max: 2, duration: 100 } });
    const order = await finished(w, "completed", 6);
    return { order, spread: at[5] - begun >= 190 };
  },
  async clean() {
    const q = queue("clean");
    for (let i = 0; i < 5; i++) await q.add("job", {});
    await finished(worker("clean", async () => {}), "completed", 5);
    const cleaned = (await q.clean(0, 3, "completed")).length;
    const left = await q.getCompletedCount();
    await Promise.all(open.filter((o) => o instanceof Worker && o.name === "clean").map((w) => w.close()));
    await q.obliterate({ force: true });
    return { cleaned, left, obliterated: await q.getCompletedCount() };
  },
};

(async () => {
  for (const [name, run] of Object.entries(cases)) show(name, await run());
  await Promise.all(open.map((o) => o.close()));
  process.exit(0);
})().catch((err) => {
  console.error(err);
  process.exit(1);
});
