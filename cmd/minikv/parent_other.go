//go:build !linux

package main

import "errors"

func parentGone() (<-chan struct{}, error) {
	return nil, errors.New("die-with-parent: only Linux tells when a parent is gone")
}
