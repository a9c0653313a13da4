package engine

import (
	"strconv"

	"minikv/engine/config"
)

// Class is a class of keyspace events, one letter of notify-keyspace-events.
type Class = config.NotifyFlags

// The classes that events are published under.
const (
	ClassGeneric = config.NotifyGeneric
	ClassString  = config.NotifyString
	ClassList    = config.NotifyList
	ClassSet     = config.NotifySet
	ClassHash    = config.NotifyHash
	ClassZSet    = config.NotifyZSet
	ClassStream  = config.NotifyStream
	ClassArray   = config.NotifyArray
	ClassExpired = config.NotifyExpired
	ClassEvicted = config.NotifyEvicted
	ClassMiss    = config.NotifyKeyMiss
	ClassNew     = config.NotifyNew
)

// notify publishes a keyspace event if its class is wanted.
func (db *DB) notify(class Class, event string, key []byte) {
	want := db.e.conf.NotifyKeyspaceEvents
	if want&class == 0 {
		return
	}
	id := strconv.Itoa(db.id)
	if want&config.NotifyKeyspace != 0 {
		db.e.publish([]byte("__keyspace@"+id+"__:"+string(key)), []byte(event))
	}
	if want&config.NotifyKeyevent != 0 {
		db.e.publish([]byte("__keyevent@"+id+"__:"+event), key)
	}
}
