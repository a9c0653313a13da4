package engine

import (
	"encoding/binary"
	"maps"
	"slices"
)

// accessSnapshot is a Snapshot's users and log.
type accessSnapshot struct {
	users []userState
	log   accessLog
}

type userState struct {
	u     *user
	state user
}

func (a *accessList) snapshot() accessSnapshot {
	s := accessSnapshot{log: a.log.clone()}
	for _, u := range a.sortedUsers() {
		s.users = append(s.users, userState{u, *u})
	}
	return s
}

// restore puts the users of a snapshot back; in a fork they are new ones.
func (a *accessList) restore(s *accessSnapshot, fork bool) {
	a.users = make(map[string]*user, len(s.users))
	for i := range s.users {
		u := s.users[i].u
		if fork {
			u = new(user)
		}
		*u = s.users[i].state
		a.users[u.name] = u
	}
	a.def = a.users[defaultUser]
	a.log = s.log.clone()
}

// appendState describes the users as far as that decides what commands may do.
func (a *accessList) appendState(dst []byte) []byte {
	users := a.sortedUsers()
	dst = binary.AppendUvarint(dst, uint64(len(users)))
	for _, u := range users {
		dst = append(appendText(dst, u.name), boolByte(u.on), boolByte(u.nopass), byte(len(u.passwords)))
		for i := range u.passwords {
			dst = append(dst, u.passwords[i][:]...)
		}
		dst = binary.AppendUvarint(dst, uint64(len(u.selectors)))
		for _, s := range u.all() {
			dst = s.appendState(dst)
		}
	}
	return dst
}

func (s *selector) appendState(dst []byte) []byte {
	dst = append(dst, boolByte(s.allKeys), boolByte(s.allChannels), boolByte(s.allCommands), boolByte(s.later))
	for _, word := range s.commands {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.firstArgs)))
	for _, id := range slices.Sorted(maps.Keys(s.firstArgs)) {
		dst = binary.AppendUvarint(dst, uint64(id))
		for _, arg := range s.firstArgs[id] {
			dst = appendText(dst, arg)
		}
	}
	dst = appendText(dst, s.describeKeys())
	return appendText(dst, s.describeChannels())
}
