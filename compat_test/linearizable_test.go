package compat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"
)

// What several clients see through real sockets at the same time must be what
// one of them would see after another in some order that respects real time:
// linearizability. Expiry is an event that the model allows at any moment
// while a key has a time to live.

// linearOp is one command: of strings, of a lock, or a script.
type linearOp struct {
	kind, key, arg string
}

// linearKey is a key's state in the model.
type linearKey struct {
	value   string
	present bool
	timed   bool
}

const (
	linearRelease = `if redis.call('GET', KEYS[1]) == ARGV[1] then return tostring(redis.call('DEL', KEYS[1])) end return '0'`
	linearSwap    = `local old = redis.call('GET', KEYS[1]) or '' redis.call('SET', KEYS[1], ARGV[1]) return old`
)

// do runs an operation and answers its reply as text; nil is "(nil)".
func (op linearOp) do(ctx context.Context, c *redis.Client) (string, error) {
	var reply any
	var err error
	switch op.kind {
	case "set":
		reply, err = c.Set(ctx, op.key, op.arg, 0).Result()
	case "get":
		reply, err = c.Get(ctx, op.key).Result()
	case "lock":
		reply, err = c.Do(ctx, "SET", op.key, op.arg, "NX", "PX", 2).Result()
	case "release":
		reply, err = c.Eval(ctx, linearRelease, []string{op.key}, op.arg).Result()
	case "swap":
		reply, err = c.Eval(ctx, linearSwap, []string{op.key}, op.arg).Result()
	}
	if err == redis.Nil {
		return "(nil)", nil
	}
	return fmt.Sprint(reply), err
}

// step is what an operation answers and leaves, if the key has not run out.
func (s linearKey) step(op linearOp) (reply string, next linearKey) {
	switch op.kind {
	case "set":
		return "OK", linearKey{op.arg, true, false}
	case "get":
		if !s.present {
			return "(nil)", s
		}
		return s.value, s
	case "lock":
		if s.present {
			return "(nil)", s
		}
		return "OK", linearKey{op.arg, true, true}
	case "release":
		if s.present && s.value == op.arg {
			return "1", linearKey{}
		}
		return "0", s
	}
	return s.value, linearKey{op.arg, true, false} // swap
}

// linearModel is one key: histories are checked key by key.
var linearModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			key := op.Input.(linearOp).key
			byKey[key] = append(byKey[key], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() []any { return []any{linearKey{}} },
	Step: func(state, input, output any) (next []any) {
		before := []linearKey{state.(linearKey)}
		if before[0].timed {
			before = append(before, linearKey{}) // it has run out
		}
		for _, s := range before {
			if reply, after := s.step(input.(linearOp)); reply == output {
				next = append(next, after)
			}
		}
		return next
	},
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	addr, err := start(t).Addr()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var history []porcupine.Operation
	var clients sync.WaitGroup
	begin := time.Now()
	for id := range 6 {
		clients.Go(func() {
			c := redis.NewClient(&redis.Options{Addr: addr, PoolSize: 1})
			defer c.Close()
			r := rand.New(rand.NewPCG(uint64(id), 7))
			kinds := []string{"set", "get", "get", "lock", "lock", "release", "release", "swap"}
			for i := range 80 {
				op := linearOp{kinds[r.IntN(len(kinds))], fmt.Sprint("k", r.IntN(4)), fmt.Sprintf("%d-%d", id, i)}
				if op.kind == "release" {
					op.arg = fmt.Sprintf("%d-%d", id, max(i-1-r.IntN(4), 0))
				}
				call := time.Since(begin)
				reply, err := op.do(t.Context(), c)
				returned := time.Since(begin)
				if err != nil {
					t.Errorf("%v: %v", op, err)
					return
				}
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: id, Input: op, Output: reply, Call: int64(call), Return: int64(returned)})
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	model := linearModel.ToModel()
	if result := porcupine.CheckOperationsTimeout(model, history, time.Minute); result != porcupine.Ok {
		t.Errorf("a history of %d operations is %v", len(history), result)
	}
	for i := range history {
		if history[i].Input.(linearOp).kind == "swap" {
			history[i].Output = "never written"
			break
		}
	}
	if result := porcupine.CheckOperationsTimeout(model, history, time.Minute); result != porcupine.Illegal {
		t.Errorf("a history with a reply that nobody wrote is %v", result)
	}
}
