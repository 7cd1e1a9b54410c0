package gauge

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// derivative is the matrix that Response applies.
func derivative(p *Prox, size int, tau float64) *mat.Dense {
	rows := p.Active(nil)
	full := mat.NewDense(size, size, nil)
	if len(rows) == 0 {
		return full
	}
	eye, part := mat.NewDense(len(rows), len(rows), nil), mat.NewDense(len(rows), len(rows), nil)
	for i := range rows {
		eye.Set(i, i, 1)
	}
	p.Response(part, eye, rows, tau)
	for i, a := range rows {
		for j, b := range rows {
			full.Set(a, b, part.At(i, j))
		}
	}
	return full
}

// The response against differences to the left and right where these agree (no kink between), and its symmetry.
func TestResponseIsTheDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawGauge(t)
		size := n.Size()
		u := make([]float64, size)
		for i := range u {
			u[i] = rapid.Float64Range(-3, 3).Draw(t, "u")
			u[i] += math.Copysign(0.05+0.0137*float64(i), u[i]) // where t is small, the second derivative is large; ties are kinks
		}
		tau := rapid.SampledFrom([]float64{0.1, 1, 3}).Draw(t, "tau")
		p := NewProx(n)
		x := make([]float64, size)
		p.Square(x, u, tau)
		got := derivative(p, size, tau)
		for i := range size {
			for j := range i {
				if !near(got.At(i, j), got.At(j, i), 1, 1e-9) {
					t.Fatalf("%v at %v: %v is not symmetric", n, u, mat.Formatted(got))
				}
			}
		}
		column := func(j int, h float64) []float64 {
			moved := append([]float64(nil), u...)
			moved[j] += h
			d := make([]float64, size)
			p.Square(d, moved, tau)
			for i := range d {
				d[i] = (x[i] - d[i]) / h
			}
			d[j]++
			return d
		}
		for j := range size {
			left, right := column(j, -1e-5), column(j, 1e-5)
			for i := range size {
				if math.Abs(left[i]-right[i]) < 1e-5 && math.Abs(left[i]-got.At(i, j)) > 1e-4 {
					t.Fatalf("%v at %v, τ = %v: entry %d,%d is %v, differences say %v", n, u, tau, i, j, got.At(i, j), left[i])
				}
			}
		}
	})
}

// At u = 0 a leaf of a root of squares moves as the others do.
func TestResponseAtZero(t *testing.T) {
	p, x := NewProx(Weighted(Hypot(Leaf(Abs), Leaf(Abs), MaxOf(Leaf(Pos), Leaf(Abs))), 2, 1, 1)), make([]float64, 4)
	p.Square(x, []float64{0, 3, 1, 0.5}, 0.25)
	if got := derivative(p, 4, 0.25).At(0, 0); math.Abs(got-0.5) > 1e-12 { // λ = τw²s
		t.Errorf("the derivative of u − t is %v, want 1/2", got)
	}
}

// Small steps move u little, and the derivative is as sharp as at large ones: a multiple of τ in the limit.
func TestResponseOfSmallSteps(t *testing.T) {
	n := Repeat(3, Hypot(Repeat(4, MaxOf(Leaf(Pos)))))
	u := make([]float64, n.Size())
	for i := range u {
		u[i] = math.Sin(1.7 * float64(i+1))
	}
	p, x := NewProx(n), make([]float64, n.Size())
	p.Square(x, u, 1e-8)
	coarse := derivative(p, n.Size(), 1e-8)
	p.Square(x, u, 1e-11)
	fine := derivative(p, n.Size(), 1e-11)
	for i := range u {
		for j := range u {
			if a, b := coarse.At(i, j)/1e-8, fine.At(i, j)/1e-11; !near(a, b, 1, 1e-7) {
				t.Errorf("entry %d,%d of the derivative is %vτ at a small τ, %vτ at a smaller one", i, j, a, b)
			}
		}
	}
}

func BenchmarkSquare(b *testing.B) {
	for _, n := range []*Node{
		Repeat(1000, Hypot(Repeat(11, MaxOf(Leaf(Abs))))),
		Repeat(11, MaxOf(Repeat(1000, Hypot(Leaf(Abs))))),
	} {
		b.Run(n.String(), func(b *testing.B) {
			p := NewProx(n)
			u, x := make([]float64, n.Size()), make([]float64, n.Size())
			for i := range u {
				u[i] = math.Sin(float64(i) * 1.7)
			}
			for b.Loop() {
				p.Square(x, u, 5)
			}
		})
	}
}

// Active names every leaf that Response reads and writes, also where nodes end at zero and where levels leave the range of floating
// point.
func TestResponseKeepsToActive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Repeat(rapid.IntRange(1, 4).Draw(t, "copies"), SumOf(SumOf(Leaf(Pos), NormOf(
			rapid.SampledFrom([]float64{1 + 1e-9, 1.001, 1.01, 2, 1e3, 1e6}).Draw(t, "p"), Leaf(Abs), drawNode(t, rapid.IntRange(0, 1).Draw(t, "depth"))))))
		p, x := NewProx(n), make([]float64, n.Size())
		for _, point := range []string{"first", "second", "third"} {
			u := drawVector(t, n.Size(), point)
			tau := math.Pow(10, rapid.Float64Range(-3, 9).Draw(t, "log τ"))
			p.Square(x, u, tau)
			got := derivative(p, n.Size(), tau)
			for i := range n.Size() {
				for j := range n.Size() {
					if v := got.At(i, j); !(math.Abs(v) < 2) {
						t.Fatalf("%v at %v, τ = %v: entry %d,%d of the derivative is %v", n, u, tau, i, j, v)
					}
				}
			}
		}
	})
}

// The proximal point is finite where leaves are so small that quotients by them overflow.
func TestProxOfSubnormalLeaves(t *testing.T) {
	for _, p := range []float64{1.001, 1.5, 2, 3, 50} {
		for _, u := range [][]float64{{-5.7e-7, -7.7e-5, 1.36e-313}, {5e-324, 1, 1e-300}, {5e-324, 2e-320, 1e-310}} {
			dst := make([]float64, len(u))
			NormOf(p, Leaf(Abs), Leaf(Abs), Leaf(Abs)).ProxSquare(dst, u, 0.129)
			for j, got := range dst {
				if !(math.Abs(got) <= math.Abs(u[j])) {
					t.Errorf("norm(%v) at %v: component %d is %v", p, u, j, got)
				}
			}
		}
	}
}
