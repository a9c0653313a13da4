package lib

// Packs is the library cmsgpack.
var Packs = map[string]Function{}
