package explore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"minikv/explore"
)

// overGate makes asynq connect through a client's gate.
type overGate struct{ c *explore.Client }

func (o overGate) MakeRedisClient() any { return connect(o.c, 1) }

// TestAsynq: a queue with a server of many goroutines, in 30 schedules by
// chance: each time the task is done, and once.
func TestAsynq(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	r := explore.Run(t, explore.Config{Random: 30, Seed: 1, Depth: 200, Bounds: &explore.Bounds{Late: 1}}, func(x *explore.Sim) {
		done.Store(0)
		x.Client("A", func(c *explore.Client) {
			queue := asynq.NewClient(overGate{c})
			defer queue.Close()
			if _, err := queue.Enqueue(asynq.NewTask("mail", []byte("to B"))); err != nil {
				c.Fail(err.Error())
			}
		})
		x.Client("B", func(c *explore.Client) {
			got := make(chan struct{}, 2)
			srv := asynq.NewServer(overGate{c}, asynq.Config{Concurrency: 1, LogLevel: asynq.FatalLevel, ShutdownTimeout: time.Second})
			if err := srv.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
				done.Add(1)
				got <- struct{}{}
				return nil
			})); err != nil {
				c.Fail(err.Error())
			}
			select {
			case <-got:
			case <-c.Context().Done():
			}
			srv.Shutdown()
		})
		x.Finally(func() {
			if done.Load() != 1 {
				x.Fail("the task was done more than once, or not at all")
			}
		})
	})
	if r.Schedules != 30 || r.Moves < 300 {
		t.Error(r.Summary())
	}
}
