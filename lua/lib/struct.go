package lib

// Structs is the library struct.
var Structs = map[string]Function{}
