package learn

import "math"

// sigmoid returns 1/(1 + exp(−s)), without overflow.
func sigmoid(s float64) float64 {
	if s >= 0 {
		return 1 / (1 + math.Exp(-s))
	}
	e := math.Exp(s)
	return e / (1 + e)
}

// softmax sets p to the probabilities exp s_y/Σ exp s, and returns log Σ exp s. It subtracts the largest score, so
// that nothing overflows. p may be s.
func softmax(s, p []float64) float64 {
	top := s[0]
	for _, v := range s {
		top = max(top, v)
	}
	var sum float64
	for y, v := range s {
		p[y] = math.Exp(v - top)
		sum += p[y]
	}
	for y := range p {
		p[y] /= sum
	}
	return top + math.Log(sum)
}
