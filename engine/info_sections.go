package engine

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// or is a text from outside, or what stands for one that is not known.
func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func (w *infoWriter) server() {
	e, p := w.e, &w.p
	uptime := max(0, e.now-e.start) / 1_000_000
	w.line("redis_version", e.version())
	w.line("redis_git_sha1", "00000000")
	w.line("redis_git_dirty", 0)
	w.line("redis_build_id", or(p.BuildID, "0"))
	w.line("redis_mode", e.mode())
	w.line("os", p.OS)
	w.line("arch_bits", strconv.IntSize)
	w.line("monotonic_clock", p.Clock)
	w.line("multiplexing_api", p.Multiplexing)
	w.line("atomicvar_api", "sync/atomic")
	w.line("gcc_version", or(p.Compiler, "0.0.0"))
	w.line("process_id", p.PID)
	w.line("process_supervised", "no")
	w.line("run_id", e.opt.RunID)
	w.line("tcp_port", p.Port)
	w.line("server_time_usec", e.now)
	w.line("uptime_in_seconds", uptime)
	w.line("uptime_in_days", uptime/86400)
	w.line("hz", e.conf.Hz)
	w.line("configured_hz", e.conf.Hz)
	w.line("lru_clock", e.now/1_000_000&(1<<24-1))
	w.line("executable", p.Executable)
	w.line("config_file", p.ConfigFile)
	w.line("io_threads_active", 0)
}

func (w *infoWriter) clients() {
	w.line("connected_clients", len(w.e.clients))
	w.line("cluster_connections", 0)
	w.line("maxclients", w.e.conf.MaxClients)
	w.zeros("client_recent_max_input_buffer", "client_recent_max_output_buffer")
	w.line("blocked_clients", w.e.nblocked+w.e.pausedClients())
	w.line("tracking_clients", w.e.tracking.clients)
	w.line("clients_in_timeout_table", w.e.waiting.Len())
}

// memory shows the engine's estimate as used_memory, and the Go runtime's and
// the system's numbers as the allocator's and the resident ones.
func (w *infoWriter) memory() {
	e, p := w.e, &w.p
	used := e.usedMemory()
	resident := max(p.ResidentMemory, 0)
	w.bytes("used_memory", used)
	w.bytes("used_memory_rss", resident)
	w.bytes("used_memory_peak", e.memory.peak)
	w.line("used_memory_peak_perc", percent(used, e.memory.peak))
	overhead := e.overheadMemory()
	w.line("used_memory_overhead", overhead)
	w.line("used_memory_startup", idleMemory)
	w.line("used_memory_dataset", used-overhead)
	w.line("used_memory_dataset_perc", percent(used-overhead, used-idleMemory))
	w.line("allocator_allocated", p.AllocatedMemory)
	w.line("allocator_active", p.HeapMemory)
	w.line("allocator_resident", p.ReservedMemory)
	w.bytes("total_system_memory", p.SystemMemory)
	w.scripts()
	w.bytes("maxmemory", e.conf.MaxMemory)
	w.line("maxmemory_policy", e.conf.MaxMemoryPolicy)
	w.line("allocator_frag_ratio", ratio(p.HeapMemory, p.AllocatedMemory))
	w.line("allocator_frag_bytes", p.HeapMemory-p.AllocatedMemory)
	w.line("allocator_rss_ratio", ratio(p.ReservedMemory, p.HeapMemory))
	w.line("allocator_rss_bytes", p.ReservedMemory-p.HeapMemory)
	w.line("rss_overhead_ratio", ratio(resident, p.ReservedMemory))
	w.line("rss_overhead_bytes", resident-p.ReservedMemory)
	w.line("mem_fragmentation_ratio", ratio(resident, used))
	w.line("mem_fragmentation_bytes", max(0, resident-used))
	w.line("mem_not_counted_for_evict", used-idleMemory-e.dataMemory())
	w.zeros("mem_replication_backlog", "mem_total_replication_buffers", "mem_clients_slaves")
	w.line("mem_clients_normal", e.clientMemory())
	w.zeros("mem_cluster_links", "mem_aof_buffer")
	w.line("mem_allocator", "go")
	w.zeros("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects")
}

// scripts counts scripts; their memory is part of the Go heap and not known
// by itself.
func (w *infoWriter) scripts() {
	var source int64
	for _, s := range w.e.scripts.cache {
		source += int64(len(s.source))
	}
	w.zeros("used_memory_lua", "used_memory_vm_eval")
	w.line("used_memory_lua_human", humanBytes(0))
	w.line("used_memory_scripts_eval", source)
	w.line("number_of_cached_scripts", len(w.e.scripts.cache))
	functions := &w.e.scripts.functions
	w.line("number_of_functions", len(functions.functions))
	w.line("number_of_libraries", len(functions.libraries))
	w.zeros("used_memory_vm_functions")
	w.bytes("used_memory_vm_total", 0)
	w.line("used_memory_functions", functions.memory())
	w.bytes("used_memory_scripts", source+functions.memory())
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "100.00%"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(whole))
}

func ratio(a, b int64) string {
	if b == 0 {
		return "0.00"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

func (w *infoWriter) stats() {
	e, s := w.e, &w.e.stats
	kbps := func(r *rateMeter) string { return fmt.Sprintf("%.2f", float64(r.perSecond(e.now))/1024) }
	w.line("total_connections_received", s.connections)
	w.line("total_commands_processed", s.commands)
	w.line("instantaneous_ops_per_sec", s.rate.perSecond(e.now))
	w.line("total_net_input_bytes", s.netIn)
	w.line("total_net_output_bytes", s.netOut)
	w.zeros("total_net_repl_input_bytes", "total_net_repl_output_bytes")
	w.line("instantaneous_input_kbps", kbps(&s.netInRate))
	w.line("instantaneous_output_kbps", kbps(&s.netOutRate))
	w.line("instantaneous_input_repl_kbps", "0.00")
	w.line("instantaneous_output_repl_kbps", "0.00")
	w.line("rejected_connections", s.rejected)
	w.zeros("sync_full", "sync_partial_ok", "sync_partial_err")
	w.line("expired_keys", s.expired)
	if n := s.expiredFields; n > 0 || w.e.timesFields() {
		w.line("expired_subkeys", n)
	}
	w.line("expired_stale_perc", "0.00")
	w.zeros("expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds")
	w.line("evicted_keys", s.evicted)
	w.line("evicted_clients", s.evictedClients)
	if w.e.evictsScripts() {
		w.line("evicted_scripts", s.evictedScripts)
	}
	over := w.e.eviction.overFor(w.e.now)
	w.line("total_eviction_exceeded_time", (w.e.eviction.over+over)/1000)
	w.line("current_eviction_exceeded_time", over/1000)
	w.line("keyspace_hits", s.hits)
	w.line("keyspace_misses", s.misses)
	w.line("pubsub_channels", len(e.pubsub.channels))
	w.line("pubsub_patterns", len(e.pubsub.patterns))
	w.line("pubsubshard_channels", len(e.pubsub.shards))
	w.zeros("latest_fork_usec", "total_forks")
	w.line("migrate_cached_sockets", w.p.MigrateSockets)
	w.zeros("slave_expires_tracked_keys",
		"active_defrag_hits", "active_defrag_misses", "active_defrag_key_hits", "active_defrag_key_misses",
		"total_active_defrag_time", "current_active_defrag_time")
	w.tracking()
	w.line("unexpected_error_replies", 0)
	w.line("total_error_replies", s.errors)
	w.line("dump_payload_sanitizations", 0)
	w.line("total_reads_processed", w.p.Reads)
	w.line("total_writes_processed", w.p.Writes)
	w.zeros("io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks", "reply_buffer_expands")
	w.denials()
}

// tracking counts what is kept for client-side caching.
func (w *infoWriter) tracking() {
	t, keys := &w.e.tracking, 0
	if t.readers != nil {
		keys = t.readers.Len()
	}
	w.line("tracking_total_keys", keys)
	w.line("tracking_total_items", t.items)
	w.line("tracking_total_prefixes", len(t.prefixes))
}

// replication is that of a master nobody follows.
func (w *infoWriter) replication() {
	w.line("role", "master")
	w.line("connected_slaves", 0)
	w.line("master_failover_state", "no-failover")
	w.line("master_replid", w.e.replicationID())
	w.line("master_replid2", strings.Repeat("0", 40))
	w.line("master_repl_offset", 0)
	w.line("second_repl_offset", -1)
	w.line("repl_backlog_active", 0)
	w.line("repl_backlog_size", w.e.conf.Value("repl-backlog-size"))
	w.zeros("repl_backlog_first_byte_offset", "repl_backlog_histlen")
}

// replicationID is the identity of the node's data, which follows from the
// node's own.
func (e *Engine) replicationID() string {
	text := "replication " + e.opt.RunID
	if n := e.settings.identities; n > 0 {
		text += " " + strconv.Itoa(n)
	}
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// cpu shows the process's time.
//
// DIFFERS: INFO cpu shows the whole process's time as its main thread's, because a Go program has no main thread.
func (w *infoWriter) cpu() {
	system, user := seconds(w.p.SystemCPU), seconds(w.p.UserCPU)
	w.line("used_cpu_sys", system)
	w.line("used_cpu_user", user)
	w.line("used_cpu_sys_children", seconds(0))
	w.line("used_cpu_user_children", seconds(0))
	w.line("used_cpu_sys_main_thread", system)
	w.line("used_cpu_user_main_thread", user)
}

func seconds(micros int64) string { return fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000) }

func (w *infoWriter) commandStats() {
	for _, cmd := range w.e.table.all {
		s := w.e.stats.of(cmd)
		if s.calls == 0 && s.failed == 0 && s.rejected == 0 {
			continue
		}
		each := 0.0
		if s.calls > 0 {
			each = float64(s.micros) / float64(s.calls)
		}
		w.line("cmdstat_"+cmd.lower, fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			s.calls, s.micros, each, s.rejected, s.failed))
	}
}

func (w *infoWriter) errorStats() {
	for _, code := range slices.Sorted(maps.Keys(w.e.stats.errorCodes)) {
		w.line("errorstat_"+code, fmt.Sprintf("count=%d", w.e.stats.errorCodes[code]))
	}
}

func (w *infoWriter) latencyStats() {
	if !w.e.conf.LatencyTracking {
		return
	}
	for _, cmd := range w.e.table.all {
		h := &w.e.stats.of(cmd).latency
		if h.total == 0 {
			continue
		}
		var shown []string
		for _, p := range w.e.conf.LatencyTrackingInfoPercentiles {
			shown = append(shown, fmt.Sprintf("p%s=%.3f", strconv.FormatFloat(p, 'f', -1, 64), float64(h.percentile(p))/1000))
		}
		w.line("latency_percentiles_usec_"+cmd.lower, strings.Join(shown, ","))
	}
}

func (w *infoWriter) cluster() {
	enabled := 0
	if w.e.cluster != nil {
		enabled = 1
	}
	w.line("cluster_enabled", enabled)
}

func (w *infoWriter) keyspace() {
	for _, db := range w.e.dbs {
		if n := db.keys.Len(); n > 0 {
			line := fmt.Sprintf("keys=%d,expires=%d,avg_ttl=%d", n, db.expires.Len(), db.averageTTL())
			if timed := db.fields.Len(); timed > 0 || w.e.timesFields() {
				line += fmt.Sprintf(",subexpiry=%d", timed)
			}
			w.line("db"+strconv.Itoa(db.id), line)
		}
	}
}

// timesFields tells whether INFO always says how many fields of hashes have
// deadlines, as it does since 7.4; without a version it does if there are any.
func (e *Engine) timesFields() bool { return e.table.ver.from(version{major: 7, minor: 4}) }

// averageTTL estimates how many milliseconds a key with a deadline has left.
func (db *DB) averageTTL() int64 {
	const sample = 64
	var sum, n int64
	for d := range db.expires.All() {
		sum += max(0, d.At()-db.e.nowMS())
		if n++; n == sample {
			break
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}
