package engine

import (
	"container/list"
	"slices"

	"minikv/resp"
	"minikv/value"
)

// pubsubState is who listens to what. Every list is in the order of
// subscription, and messages are delivered in that order.
type pubsubState struct {
	channels map[string]*list.List // of *Client
	shards   map[string]*list.List
	patterns map[string]*list.List
	order    list.List // of string: the patterns, oldest first
	places   map[string]*list.Element
}

// listeners is the list of a name in one of the maps, made if need be.
func listeners(m *map[string]*list.List, name string) *list.List {
	if *m == nil {
		*m = make(map[string]*list.List)
	}
	l := (*m)[name]
	if l == nil {
		l = list.New()
		(*m)[name] = l
	}
	return l
}

func subscribe(all *map[string]*list.List, own *map[string]*list.Element, cl *Client, name string) bool {
	if _, has := (*own)[name]; has {
		return false
	}
	if *own == nil {
		*own = make(map[string]*list.Element)
	}
	(*own)[name] = listeners(all, name).PushBack(cl)
	return true
}

func unsubscribe(all map[string]*list.List, own map[string]*list.Element, name string) bool {
	el, has := own[name]
	if !has {
		return false
	}
	delete(own, name)
	l := all[name]
	l.Remove(el)
	if l.Len() == 0 {
		delete(all, name)
	}
	return true
}

// subscribePattern adds a pattern; the engine remembers the order in which
// patterns first came.
func (e *Engine) subscribePattern(cl *Client, pattern string) bool {
	if !subscribe(&e.pubsub.patterns, &cl.subs.patterns, cl, pattern) {
		return false
	}
	cl.subs.order = append(cl.subs.order, pattern)
	if e.pubsub.places == nil {
		e.pubsub.places = make(map[string]*list.Element)
	}
	if e.pubsub.places[pattern] == nil {
		e.pubsub.places[pattern] = e.pubsub.order.PushBack(pattern)
	}
	return true
}

func (e *Engine) unsubscribePattern(cl *Client, pattern string) bool {
	if !unsubscribe(e.pubsub.patterns, cl.subs.patterns, pattern) {
		return false
	}
	cl.subs.order = slices.DeleteFunc(cl.subs.order, func(p string) bool { return p == pattern })
	if e.pubsub.patterns[pattern] == nil {
		e.pubsub.order.Remove(e.pubsub.places[pattern])
		delete(e.pubsub.places, pattern)
	}
	return true
}

// unsubscribeAll silently ends all subscriptions of a client.
func (e *Engine) unsubscribeAll(cl *Client) {
	for name := range cl.subs.channels {
		unsubscribe(e.pubsub.channels, cl.subs.channels, name)
	}
	for name := range cl.subs.shards {
		unsubscribe(e.pubsub.shards, cl.subs.shards, name)
	}
	for pattern := range cl.subs.patterns {
		e.unsubscribePattern(cl, pattern)
	}
}

// publish sends a message to a channel's listeners, then to those of matching
// patterns, and answers how many got it.
func (e *Engine) publish(channel, message []byte) int {
	n := e.deliver(e.pubsub.channels[string(channel)], "message", channel, message)
	for el := e.pubsub.order.Front(); el != nil; el = el.Next() {
		pattern := el.Value.(string)
		if !value.Glob([]byte(pattern), channel) {
			continue
		}
		for c := e.pubsub.patterns[pattern].Front(); c != nil; c = c.Next() {
			e.push(c.Value.(*Client), func(out *resp.Writer) {
				out.Push(4)
				out.BulkString("pmessage")
				out.BulkString(pattern)
				out.Bulk(channel)
				out.Bulk(message)
			})
			n++
		}
	}
	return n
}

// publishShard sends a message to a shard channel's listeners.
func (e *Engine) publishShard(channel, message []byte) int {
	return e.deliver(e.pubsub.shards[string(channel)], "smessage", channel, message)
}

func (e *Engine) deliver(to *list.List, kind string, channel, message []byte) int {
	if to == nil {
		return 0
	}
	for el := to.Front(); el != nil; el = el.Next() {
		e.push(el.Value.(*Client), func(out *resp.Writer) {
			out.Push(3)
			out.BulkString(kind)
			out.Bulk(channel)
			out.Bulk(message)
		})
	}
	return to.Len()
}
