package lib

// Strings is the library string.
var Strings = map[string]Function{}
