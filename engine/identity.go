package engine

import "strconv"

// reportedVersion is the version that minikv says it is: clients choose their
// commands by it.
const reportedVersion = "7.0.15"

// version is the version that INFO and HELLO report: the emulated one, or
// 7.0.15.
func (e *Engine) version() string {
	v := e.table.ver
	switch {
	case v.isZero() || v == version{major: 7}:
		return reportedVersion
	case v.valkey:
		return "7.2.4"
	}
	return strconv.Itoa(v.major) + "." + strconv.Itoa(v.minor) + "." + strconv.Itoa(v.patch)
}
