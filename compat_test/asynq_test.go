package compat_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
)

// asynq keeps its queues in lists, sorted sets, hashes and sets, which its Lua
// scripts move tasks between. A task that works, one that fails twice and then
// works, one that always fails and ends among the archived, one for later and
// one that is there already go through it.
func TestAsynqQueues(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	redis := asynq.RedisClientOpt{Addr: srv.Addrs()[0].String()}
	client := asynq.NewClient(redis)
	defer client.Close()
	inspector := asynq.NewInspector(redis)
	defer inspector.Close()

	var mu sync.Mutex
	runs := make(map[string]int)
	done := make(chan string, 16)
	worker := asynq.NewServer(redis, asynq.Config{
		Concurrency:              2,
		LogLevel:                 asynq.FatalLevel,
		TaskCheckInterval:        20 * time.Millisecond,
		DelayedTaskCheckInterval: 20 * time.Millisecond,
		RetryDelayFunc:           func(int, error, *asynq.Task) time.Duration { return 0 },
		ErrorHandler:             asynq.ErrorHandlerFunc(func(context.Context, *asynq.Task, error) {}),
	})
	mux := asynq.NewServeMux()
	mux.HandleFunc("job:", func(_ context.Context, task *asynq.Task) error {
		mu.Lock()
		defer mu.Unlock()
		runs[task.Type()]++
		switch {
		case task.Type() == "job:never", task.Type() == "job:third" && runs[task.Type()] < 3:
			return errors.New("not this time")
		}
		done <- task.Type()
		return nil
	})
	enqueue := func(kind string, opts ...asynq.Option) error {
		_, err := client.Enqueue(asynq.NewTask(kind, []byte(kind)), opts...)
		return err
	}
	for kind, opts := range map[string][]asynq.Option{
		"job:now":   {asynq.Retention(time.Hour)},
		"job:third": {asynq.MaxRetry(5)},
		"job:never": {asynq.MaxRetry(1)},
		"job:later": {asynq.ProcessIn(time.Hour)},
		"job:once":  {asynq.TaskID("only")},
	} {
		if err := enqueue(kind, opts...); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
	}
	if err := enqueue("job:once", asynq.TaskID("only")); !errors.Is(err, asynq.ErrTaskIDConflict) {
		t.Errorf("the same id again: %v", err)
	}
	if err := worker.Start(mux); err != nil {
		t.Fatal(err)
	}
	defer worker.Shutdown()

	finished := make(map[string]bool)
	timeout := time.After(30 * time.Second)
	for len(finished) < 3 {
		select {
		case kind := <-done:
			finished[kind] = true
		case <-timeout:
			t.Fatalf("finished: %v, runs: %v", finished, runs)
		}
	}
	var info *asynq.QueueInfo
	for {
		var err error
		if info, err = inspector.GetQueueInfo("default"); err != nil {
			t.Fatal(err)
		}
		if info.Archived == 1 && info.Completed == 1 && info.Active == 0 {
			break
		}
		select {
		case <-timeout:
			t.Fatalf("the queue stays at %+v", info)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if info.Scheduled != 1 || info.Pending != 0 || info.Retry != 0 {
		t.Errorf("the queue ends at %+v", info)
	}
	mu.Lock()
	if runs["job:third"] != 3 || runs["job:never"] != 2 || runs["job:later"] != 0 {
		t.Errorf("runs: %v", runs)
	}
	mu.Unlock()
	archived, err := inspector.ListArchivedTasks("default")
	if err != nil || len(archived) != 1 || archived[0].Type != "job:never" || archived[0].LastErr != "not this time" {
		t.Errorf("archived: %v, %v", archived, err)
	}
}
