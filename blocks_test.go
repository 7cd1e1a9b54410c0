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
