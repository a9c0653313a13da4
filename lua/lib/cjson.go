package lib

// JSONConfig are the settings of a cjson instance.
type JSONConfig struct{}

// JSON is an instance of the library cjson.
type JSON struct {
	JSONConfig
	Null Value
}

// NewJSON returns an instance with the settings it has at the start.
func NewJSON() *JSON { return &JSON{} }

// Functions returns the functions of the instance.
func (j *JSON) Functions() map[string]Function { return nil }
