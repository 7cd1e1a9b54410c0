package sipc_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/blocks"
)

// Processes that begin in one folder at once go on with one plan, and one that asks for something else is refused.
func TestBlocksBegunAtOnce(t *testing.T) {
	dir := t.TempDir()
	train, path, work := filepath.Join(dir, "train.csv"), filepath.Join(dir, "model.sipc"), filepath.Join(dir, "work")
	c := batchCases[0]
	write(t, train, csvOf(withOats(farms(1, 130, false, false))))
	m := fitted(t, dir, "data { "+strings.NewReplacer("NUMBERS", onnxNumbers, "ALL", onnxAll).Replace(c.data)+" }\n"+c.spec+"\n", train)
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	type begun struct {
		*sipc.RowBlocks
		err error
	}
	all := make(chan begun)
	for i := range 6 {
		go func() {
			own, err := sipc.LoadModel(t.Context(), path)
			var b *sipc.RowBlocks
			if err == nil {
				b, err = sipc.PlanRows(t.Context(), own, path, train, work, sipc.BlockOptions{Rows: 40 + i%2, Features: true, Ending: ".npy"})
			}
			if err == nil {
				_, err = b.RunBlocks(t.Context())
			}
			all <- begun{b, err}
		}()
	}
	rows, refused := map[int]bool{}, 0
	for range 6 {
		b := <-all
		switch {
		case b.err == nil:
			rows[b.Plan.Blocks[0].Rows] = true
		case strings.Contains(b.err.Error(), "its plan is another one: the rows of a block are 4"), strings.Contains(b.err.Error(), "it was changed"):
			refused++
		default:
			t.Error(b.err)
		}
	}
	if len(rows) > 1 || refused < 3 {
		t.Errorf("plans of %v rows, and %d refused", rows, refused)
	}
	raw, err := os.ReadFile(filepath.Join(work, "plan.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(work, "plan.json"), bytes.Replace(raw, []byte(`"part"`), []byte(`"parts"`), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sipc.OpenRowBlocks(t.Context(), work); err == nil || !strings.Contains(err.Error(), "the plan contradicts its files") {
		t.Error(err)
	}
}

// Blocks of any size, in any order, make the bytes of all rows at once, whatever embeds them: embeddings, or features where there are none.
func TestBlocksMakeTheSameBytes(t *testing.T) {
	for k, c := range batchCases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			header, train := farms(1, 130, false, false)
			write(t, filepath.Join(dir, "train.csv"), csvOf(withOats(header, train)))
			m := fitted(t, dir, "data { "+strings.NewReplacer("NUMBERS", onnxNumbers, "ALL", onnxAll).Replace(c.data)+" }\n"+c.spec+"\n", filepath.Join(dir, "train.csv"))
			data, path := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "model.sipc")
			write(t, data, csvOf(withOats(farms(2, 300, false, false))))
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			m, err := sipc.LoadModel(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(k), 10))
			o := sipc.BlockOptions{Rows: 1 + rng.IntN(120), Features: !m.Represent.Method.Embeds(), Ending: []string{".csv", ".npy"}[k%2]}
			all, joined := filepath.Join(dir, "all"+o.Ending), filepath.Join(dir, "joined"+o.Ending)
			embed := sipc.EmbedRows
			if o.Features {
				embed = sipc.FeatureRows
			}
			want, err := embed(t.Context(), m, data, all, sipc.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sipc.PlanRows(t.Context(), m, path, data, filepath.Join(dir, "work"), o); err != nil {
				t.Fatal(err)
			}
			b, err := sipc.OpenRowBlocks(t.Context(), filepath.Join(dir, "work"))
			if err != nil {
				t.Fatal(err)
			}
			var receipts []*blocks.Receipt
			for _, i := range rng.Perm(len(b.Plan.Blocks)) {
				r, err := b.RunBlock(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				receipts = append(receipts, r)
			}
			got, err := b.Merge(t.Context(), receipts, joined)
			if err != nil || got.Certificate.Text() != want.Certificate.Text() {
				t.Fatalf("%q, want %q; %v", got.Certificate.Text(), want.Certificate.Text(), err)
			}
			x, e := os.ReadFile(all)
			y, err := os.ReadFile(joined)
			if !bytes.Equal(x, y) || errors.Join(e, err) != nil {
				t.Errorf("blocks of %d rows make other bytes; %v, %v", o.Rows, e, err)
			}
		})
	}
}
