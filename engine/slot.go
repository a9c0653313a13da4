package engine

import "bytes"

// keySlot is the hash slot of a key: CRC-16 (XMODEM) of the key, or of its hash
// tag, the first non-empty part between braces, modulo 16384.
func keySlot(key []byte) int {
	if _, tag, found := bytes.Cut(key, []byte("{")); found {
		if tag, _, found = bytes.Cut(tag, []byte("}")); found && len(tag) > 0 {
			key = tag
		}
	}
	crc := uint16(0)
	for _, b := range key {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc % 16384)
}
