package lua_test

import (
	"fmt"
	"strings"

	"minikv/lua"
	"minikv/resp"
)

// oneKey is a server with one key. It stops a script at each line and in front
// of each command.
type oneKey struct{ key, value string }

func (s *oneKey) Call(argv [][]byte, reply *resp.Writer) {
	switch {
	case string(argv[1]) != s.key:
		reply.Null()
	case string(argv[0]) == "get":
		reply.BulkString(s.value)
	case string(argv[0]) == "del":
		s.key = ""
		reply.Int(1)
	}
}

func (s *oneKey) Line(source string, line int) bool         { return true }
func (s *oneKey) Calling(argv [][]byte) bool                { return true }
func (s *oneKey) Called(argv [][]byte, reply []byte)        {}
func (s *oneKey) Refused(text string)                       {}
func (s *oneKey) Debug(values func(limit int) []string)     {}
func (s *oneKey) Breakpoint() bool                          { return true }
func (s *oneKey) Log(level int, message string)             {}
func (s *oneKey) SetReplication(flags int)                  {}
func (s *oneKey) CheckACL(argv [][]byte) (allowed, ok bool) { return true, true }
func (s *oneKey) Busy() string                              { return "" }

// The script that releases a lock, seen line by line and command by command.
func ExampleStepper() {
	const release = `local holder = redis.call('get', KEYS[1])
if holder == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0`
	s, err := lua.NewStepper([]byte(release), [][]byte{[]byte("lock")}, [][]byte{[]byte("token")}, lua.StepOptions{Version: "7.0.15"})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &oneKey{"lock", "token"}
	lines := strings.Split(release, "\n")
	for !s.Run(server) {
		if argv := s.Next(); argv != nil {
			fmt.Printf("   calls %s\n", argv)
			continue
		}
		fmt.Println(s.Line(), lines[s.Line()-1])
		for _, v := range s.Locals(0, 0) {
			fmt.Println("  ", v.Name, "=", v)
		}
	}
	for _, c := range s.Calls() {
		fmt.Printf("%s: %q\n", c.Argv, c.Reply)
	}
	fmt.Printf("reply %q\n", s.Reply())
	// Output:
	// 1 local holder = redis.call('get', KEYS[1])
	//    calls [get lock]
	// 2 if holder == ARGV[1] then
	//    holder = "token"
	// 3   return redis.call('del', KEYS[1])
	//    holder = "token"
	//    calls [del lock]
	// [get lock]: "$5\r\ntoken\r\n"
	// [del lock]: ":1\r\n"
	// reply ":1\r\n"
}
