// Package wire translates between the contract of package plugins and its messages, for host and sdk alike. Large arrays
// travel in parts.
package wire

// CookieKey and CookieValue are the environment variable by which a family knows that it was started by sipc, and not
// by hand. They are not secret.
const (
	CookieKey   = "SIPC_FAMILY"
	CookieValue = "1f6d8c2e"
)

// PluginName is the name under which the handshake's library files a family.
const PluginName = "family"

// PartSize bounds the arrays' bytes in one message.
const PartSize = 1 << 20

// MaxMessage is the largest message that either side takes.
const MaxMessage = 64 << 20

// Window and Buffer are how many bytes may be under way, and how many are read or written at once.
const (
	Window = 16 << 20
	Buffer = 1 << 18
)
