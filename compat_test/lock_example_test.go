package compat_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/server"
)

// Three workers go for the same lock at the same moment, each with a random
// token of its own. Exactly one enters, and only the owner's release succeeds.
func Example_threeWorkers() {
	srv, err := server.Start(server.Options{NoNetwork: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	rdb := redis.NewClient(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) { return srv.DialMemory() },
	})
	defer rdb.Close()

	ctx := context.Background()
	release := redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
else
	return 0
end`)

	var mu sync.Mutex
	var tokens []string // of all workers, the winner's first
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			token := rand.Text()
			entered, err := rdb.SetNX(ctx, "lock:report", token, 30*time.Second).Result()
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				fmt.Println(err)
			case entered:
				fmt.Println("one worker entered")
				tokens = append([]string{token}, tokens...)
			default:
				tokens = append(tokens, token)
			}
		})
	}
	workers.Wait()

	for i := len(tokens) - 1; i >= 0; i-- {
		n, err := release.Run(ctx, rdb, []string{"lock:report"}, tokens[i]).Int()
		fmt.Println("release:", n, err)
	}
	// Output:
	// one worker entered
	// release: 0 <nil>
	// release: 0 <nil>
	// release: 1 <nil>
}
