package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Versions are those of the contract that one side speaks, both ends included.
type Versions struct{ Oldest, Newest int }

// String returns what errors call them.
func (v Versions) String() string {
	if v.Oldest == v.Newest {
		return fmt.Sprintf("version %d", v.Newest)
	}
	return fmt.Sprintf("versions %d to %d", v.Oldest, v.Newest)
}

// All returns the versions, the oldest first.
func (v Versions) All() []int {
	var out []int
	for version := v.Oldest; version <= v.Newest; version++ {
		out = append(out, version)
	}
	return out
}

// Choose returns the newest version of an offer, such as "1,2", that v holds too.
func (v Versions) Choose(offer string) (version int, ok bool) {
	for field := range strings.SplitSeq(offer, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(field)); err == nil && n >= v.Oldest && n <= v.Newest && (!ok || n > version) {
			version, ok = n, true
		}
	}
	return version, ok
}

// A Greeting is the line by which a family that has started says where it is to be reached.
type Greeting struct {
	Version     int
	Socket      string
	Certificate string // its own, in DER as base64 without padding
	Speaks      *Versions
}

// String returns the line CORE|VERSION|NETWORK|SOCKET|PROTOCOL|CERTIFICATE|OLDEST-NEWEST, without its end.
func (g *Greeting) String() string {
	return fmt.Sprintf("1|%d|unix|%s|grpc|%s|%d-%d", g.Version, g.Socket, g.Certificate, g.Speaks.Oldest, g.Speaks.Newest)
}

// ParseGreeting reads what a greeting says of versions; Speaks is nil where it does not say. It tells whether the line is a
// greeting at all.
func ParseGreeting(line string) (g Greeting, ok bool) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 4 {
		return g, false
	}
	_, errCore := strconv.Atoi(parts[0])
	version, err := strconv.Atoi(parts[1])
	if errCore != nil || err != nil {
		return g, false
	}
	g = Greeting{Version: version, Socket: parts[3]}
	if len(parts) > 6 {
		oldest, newest, _ := strings.Cut(parts[6], "-")
		from, err1 := strconv.Atoi(oldest)
		to, err2 := strconv.Atoi(newest)
		if err1 == nil && err2 == nil && from <= to {
			g.Speaks = &Versions{from, to}
		}
	}
	return g, true
}
