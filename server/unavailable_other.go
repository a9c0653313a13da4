//go:build !unix

package server

import (
	"errors"
	"net"
)

// unavailable tells that an address is not there, as far as one can say here.
func unavailable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}
