//go:build unix

package server

import (
	"errors"
	"syscall"
)

// unavailable tells that an address or its whole family is not there.
func unavailable(err error) bool {
	for _, no := range []error{
		syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT, syscall.ENOPROTOOPT, syscall.EPFNOSUPPORT,
		syscall.EPROTONOSUPPORT, syscall.ESOCKTNOSUPPORT,
	} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
