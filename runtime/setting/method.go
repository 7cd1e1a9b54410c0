package setting

// A Method is how f or the representation is found.
type Method string

// The methods.
const (
	Embed Method = "embed" // the convex Euclidean embedding, to a certified gap, then a linear learner
	Warp  Method = "warp"  // its closed form; the gauge is quadratic
	Plain Method = "plain" // R = 0: the features themselves
	Risk  Method = "risk"  // the features themselves, R acting on the function that is learnt on them
	Dual  Method = "dual"  // the same function, by its dual coefficients
)

// Embeds reports whether rows have representations of their own: all methods but those that learn f itself.
func (m Method) Embeds() bool { return m != Risk && m != Dual }

// Direct reports whether rows are represented by their features alone.
func (m Method) Direct() bool { return m == Plain || !m.Embeds() }

// A Decoding is how labels are decided from scores.
type Decoding string

// The decodings.
const (
	Signs   Decoding = ""        // each label by its own sign
	Closure Decoding = "closure" // what implies another label lends it its score
)
